import { View } from '../../parts/View.js';

export function FaultsView() {
  return <View title="Faults">…</View>;
}
