import { View } from '../../parts/View.js';

export function AnalyticsView() {
  return <View title="Analytics">…</View>;
}
