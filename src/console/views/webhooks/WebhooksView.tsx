import { Verdict } from '../../parts/Badges.js';
import { Empty } from '../../parts/Empty.js';
import { eitherClass, showPanelBelow } from '../../parts/focus.js';
import { Loading } from '../../parts/Loading.js';
import { OutcomeFilter } from '../../parts/OutcomeFilter.js';
import { Problem } from '../../parts/Problem.js';
import { RowList } from '../../parts/RowList.js';
import { View } from '../../parts/View.js';
import type { RowFocus } from '../../parts/VirtualList.js';
import { isStacked } from '../../state/screen.js';
import { formatSeconds } from '../../state/time.js';
import { useRemote } from '../../state/use-remote.js';
import {
  decisiveOf,
  deliveries,
  events,
  hostOf,
  outcome,
  postOf,
  resultOf,
  shownEvent,
  shownEvents,
  subscriptions,
  type EventDeliveries,
} from './deliveries.js';
import { EventPanel } from './EventPanel.js';
import { SubscribeForm } from './SubscribeForm.js';
import { Subscriptions } from './Subscriptions.js';

/** The number of deliveries that a narrow page shows first, because the subscriptions are below the list. */
const narrowRows = 20;

export function WebhooksView() {
  useRemote(deliveries);
  useRemote(subscriptions);
  const chosen = shownEvent.chosen.value;
  return (
    <View title="Webhooks" about="Subscriptions, and every delivery attempt with its payload and signature.">
      <Problem text={deliveries.error.value} retry={() => void deliveries.reload()} />
      <div class={`split split-wide ${eitherClass(shownEvent.id.value, chosen?.key)}`}>
        <div class="stack">
          <Deliveries chosen={chosen} />
          {chosen !== undefined && <EventPanel event={chosen} />}
        </div>
        {/* Later, so that they do not move when the deliveries arrive. */}
        {deliveries.value.value !== undefined && subscriptions.value.value !== undefined && (
          <div class="stack">
            <Subscriptions />
            <SubscribeForm />
          </div>
        )}
      </div>
    </View>
  );
}

function Deliveries({ chosen }: { readonly chosen: EventDeliveries | undefined }) {
  return (
    <section class="panel" aria-label="Deliveries">
      <h2>Deliveries</h2>
      {deliveries.value.value === undefined ? (
        <Loading error={deliveries.error.value} />
      ) : events.value.length === 0 ? (
        <Empty icon="webhooks" title="No deliveries yet">
          <p>Subscribe a webhook, then schedule or publish a post.</p>
        </Empty>
      ) : (
        <div class="stack">
          <OutcomeFilter
            filter={outcome}
            failed="not delivered"
            shown={shownEvents.value.length}
            all={events.value.length}
            names={['delivery', 'deliveries']}
          />
          {shownEvents.value.length > 0 && (
            <RowList
              label="Deliveries, the latest first"
              step={isStacked.value ? narrowRows : Infinity}
              items={shownEvents.value}
              keyOf={({ key }) => key}
              chosen={chosen?.key}
              row={(one, focus) => <EventRow event={one} focus={focus} isChosen={one.key === chosen?.key} />}
            />
          )}
        </div>
      )}
    </section>
  );
}

interface EventRowProps {
  readonly event: EventDeliveries;
  readonly focus: RowFocus;
  readonly isChosen: boolean;
}

function EventRow({ event, focus, isChosen }: EventRowProps) {
  const { key, first, attempts } = event;
  const decisive = decisiveOf(event);
  const post = postOf(first);
  return (
    <button
      type="button"
      class="row event-row"
      {...focus}
      aria-current={isChosen}
      onClick={() => {
        shownEvent.id.value = key;
        showPanelBelow('.event-panel');
      }}
    >
      <strong>{first.eventType}</strong>
      <Verdict ok={decisive.ok}>{resultOf(decisive)}</Verdict>
      {post !== undefined && (
        <span class="line">
          <bdi>{post.content === '' ? post.postId : post.content}</bdi>
        </span>
      )}
      <span class="hint line">
        {formatSeconds(first.at)} · {attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`} to{' '}
        {hostOf(first.url)}
      </span>
    </button>
  );
}
