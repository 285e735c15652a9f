import { Problem } from '../../parts/Problem.js';
import { Segments } from '../../parts/Segments.js';
import { View } from '../../parts/View.js';
import { useRemote } from '../../state/use-remote.js';
import { DeliveriesTab } from './DeliveriesTab.js';
import { deliveries, subscriptions, tab } from './deliveries.js';
import { SubscriptionsTab } from './SubscriptionsTab.js';

export function WebhooksView() {
  useRemote(deliveries);
  const count = useRemote(subscriptions)?.length;
  return (
    <View
      title="Webhooks"
      about="Every delivery with payload and signature, and the subscriptions."
      actions={
        <Segments
          label="Show"
          segments={[
            { name: 'deliveries', label: 'Deliveries' },
            { name: 'subscriptions', label: count === undefined ? 'Subscriptions' : `Subscriptions (${count})` },
          ]}
          chosen={tab}
        />
      }
    >
      <Problem
        text={deliveries.error.value ?? subscriptions.error.value}
        retry={() => {
          void deliveries.reload();
          void subscriptions.reload();
        }}
      />
      {tab.value === 'deliveries' ? <DeliveriesTab /> : <SubscriptionsTab />}
    </View>
  );
}
