import { View } from '../../parts/View.js';
import { creditsUsed } from './credits.js';
import { InsightsPanel } from './InsightsPanel.js';
import { PostsPanel } from './PostsPanel.js';

export function AnalyticsView() {
  return (
    <View
      title="Analytics"
      about={`This view reads nothing automatically: each call costs a credit. This page has used ${creditsUsed.value} so far.`}
    >
      <PostsPanel />
      <InsightsPanel />
    </View>
  );
}
