import { View } from '../../parts/View.js';

export function WebhooksView() {
  return <View title="Webhooks">…</View>;
}
