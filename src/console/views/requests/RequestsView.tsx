import { View } from '../../parts/View.js';

export function RequestsView() {
  return <View title="Requests">…</View>;
}
