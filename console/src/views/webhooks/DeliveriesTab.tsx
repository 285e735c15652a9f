import { Verdict } from '../../parts/Badges.js';
import { Empty } from '../../parts/Empty.js';
import { eitherClass, showPanelBelow } from '../../parts/focus.js';
import { Loading } from '../../parts/Loading.js';
import { OutcomeFilter } from '../../parts/OutcomeFilter.js';
import { UnknownItem } from '../../parts/UnknownItem.js';
import { VirtualList, type RowFocus } from '../../parts/VirtualList.js';
import { linkTo } from '../../state/route.js';
import { formatSecondsToday } from '../../state/clock.js';
import {
  decisiveOf,
  deliveries,
  events,
  hostOf,
  outcome,
  postOf,
  retriedAttempt,
  shortResultOf,
  shownEvent,
  shownEvents,
  subscriptions,
  unknownEvent,
  type EventDeliveries,
} from './deliveries.js';
import { EventPanel } from './EventPanel.js';
import { RetryBadge } from './RetryBadge.js';

export function DeliveriesTab() {
  const unknown = unknownEvent.value;
  const chosen = unknown === undefined ? shownEvent.chosen.value : undefined;
  if (deliveries.value.value === undefined) return <Loading error={deliveries.error.value} />;
  if (events.value.length === 0) return <NoDeliveries subscribed={subscriptions.value.value?.length} />;
  return (
    <>
      <OutcomeFilter
        filter={outcome}
        failed="not delivered"
        shown={shownEvents.value.length}
        all={events.value.length}
        names={['delivery', 'deliveries']}
      />
      <div class={`split split-fill ${eitherClass(shownEvent.id.value, unknown ?? chosen?.key)}`}>
        {shownEvents.value.length > 0 && (
          <VirtualList
            items={shownEvents.value}
            label="Deliveries, the latest first"
            keyOf={({ key }) => key}
            chosen={chosen?.key}
            row={(event, focus) => <EventRow event={event} focus={focus} isChosen={event.key === chosen?.key} />}
          />
        )}
        {unknown !== undefined && (
          <UnknownItem kind="delivery" id={unknown} choice={shownEvent.id} list="All deliveries">
            It may have been removed.
          </UnknownItem>
        )}
        {chosen !== undefined && <EventPanel event={chosen} />}
      </div>
    </>
  );
}

/** Says what is missing for a first delivery. `subscribed` is the number of subscriptions. */
function NoDeliveries({ subscribed }: { readonly subscribed: number | undefined }) {
  if (subscribed === undefined) return <Loading error={subscriptions.error.value} />;
  const isSubscribed = subscribed > 0;
  return (
    <Empty icon="webhooks" title="No deliveries yet">
      <p>
        {isSubscribed
          ? 'Publish a post, or schedule one and move the clock to its time.'
          : 'There is no subscription. Subscribe the URL of your receiver, then publish or schedule a post.'}
      </p>
      <p>
        <a class="button" href={linkTo('webhooks', { show: 'subscriptions' })}>
          {isSubscribed ? 'Show the subscriptions' : 'Subscribe a webhook'}
        </a>
      </p>
    </Empty>
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
  const retried = retriedAttempt(event);
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
      <strong class="line">{first.eventType}</strong>
      {retried === undefined ? (
        <Verdict ok={decisive.ok}>
          <span class="line">{shortResultOf(decisive)}</span>
        </Verdict>
      ) : (
        <RetryBadge attempt={retried} />
      )}
      {post !== undefined && (
        <span class="line" dir="auto">
          {post.content === '' ? post.postId : post.content}
        </span>
      )}
      <span class="hint line">
        {formatSecondsToday(first.at)} · {attempts.length > 1 && `${attempts.length} attempts · `}
        {hostOf(first.url)}
      </span>
    </button>
  );
}
