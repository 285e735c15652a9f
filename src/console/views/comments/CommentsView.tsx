import { View } from '../../parts/View.js';

export function CommentsView() {
  return <View title="Comments">…</View>;
}
