import { View } from '../../parts/View.js';
import { observed } from '../../world/session.js';
import { InboxEvents } from './InboxEvents.js';
import { Intents } from './Intents.js';

export function DurableView() {
  return (
    <View title="Durable" about="Intents of your publisher and events of your inbox, by state.">
      {observed.value.length === 0 && (
        <p>
          To see the intents and events of your program, pass <code>observe: {'{ publisher, inbox }'}</code> to{' '}
          <code>serveEmulator</code>.
        </p>
      )}
      {observed.value.includes('publisher') && <Intents />}
      {observed.value.includes('inbox') && <InboxEvents />}
    </View>
  );
}
