import { View } from '../../parts/View.js';

export function AccountsView() {
  return <View title="Accounts">…</View>;
}
