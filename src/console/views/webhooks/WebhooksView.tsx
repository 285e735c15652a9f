import { Verdict } from '../../parts/Badges.js';
import { Empty } from '../../parts/Empty.js';
import { Problem } from '../../parts/Problem.js';
import { View } from '../../parts/View.js';
import { formatSeconds } from '../../state/time.js';
import { useRemote } from '../../state/use-remote.js';
import { deliveries, events, shownEvent, subscriptions, type EventDeliveries } from './deliveries.js';
import { EventPanel } from './EventPanel.js';
import { SubscribeForm } from './SubscribeForm.js';
import { Subscriptions } from './Subscriptions.js';

export function WebhooksView() {
  useRemote(deliveries);
  useRemote(subscriptions);
  const chosen = shownEvent.chosen.value;
  return (
    <View title="Webhooks" about="Subscriptions, and every delivery attempt with its payload and signature.">
      <Problem text={deliveries.error.value} retry={() => void deliveries.reload()} />
      <div class="split">
        <div class="stack">
          <Subscriptions />
          <SubscribeForm />
        </div>
        <div class="stack">
          <section class="panel" aria-label="Deliveries">
            <h2>Deliveries</h2>
            {deliveries.value.value === undefined ? (
              <p class="hint">{deliveries.error.value === undefined ? 'Loading' : 'Unknown'}</p>
            ) : events.value.length === 0 ? (
              <Empty icon="webhooks" title="No deliveries yet">
                <p>Subscribe a webhook, then schedule or publish a post.</p>
              </Empty>
            ) : (
              <ul role="list" class="rows rows-scroll">
                {events.value.map((one) => (
                  <EventRow key={one.key} event={one} isChosen={one.key === chosen?.key} />
                ))}
              </ul>
            )}
          </section>
          {chosen !== undefined && <EventPanel event={chosen} />}
        </div>
      </div>
    </View>
  );
}

function EventRow({ event: { key, first, attempts }, isChosen }: { event: EventDeliveries; isChosen: boolean }) {
  const ok = attempts.some((attempt) => attempt.ok);
  return (
    <li>
      <button
        type="button"
        class="row event-row"
        aria-current={isChosen}
        onClick={() => {
          shownEvent.id.value = key;
        }}
      >
        <strong>{first.eventType}</strong>
        <Verdict ok={ok}>{ok ? 'delivered' : 'not delivered'}</Verdict>
        <span class="hint line">
          {formatSeconds(first.at)} · {attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`} to{' '}
          {first.url}
        </span>
      </button>
    </li>
  );
}
