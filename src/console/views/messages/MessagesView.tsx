import { View } from '../../parts/View.js';

export function MessagesView() {
  return <View title="Messages">…</View>;
}
