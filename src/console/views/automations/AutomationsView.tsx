import { View } from '../../parts/View.js';

export function AutomationsView() {
  return <View title="Automations">…</View>;
}
