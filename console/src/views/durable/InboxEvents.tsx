import { StatusBadge } from '../../parts/Badges.js';
import { quantity } from '../../state/quantity.js';
import { formatSeconds } from '../../state/time.js';
import { useRemote } from '../../state/use-remote.js';
import { inboxEvents, type ShownInboxEvent } from './observed.js';
import { StatePanel } from './StatePanel.js';

/** The events of the observed inbox. */
export function InboxEvents() {
  const items = useRemote(inboxEvents)?.items ?? [];
  return (
    <StatePanel title="Inbox events" list={inboxEvents} total="events" shown={items.length}>
      <ul class="observed" aria-label="Inbox events">
        {items.map((event) => (
          <EventItem key={event.id} event={event} />
        ))}
      </ul>
      <p class="hint">The inbox removes the content of an event when it is done, so that only its count is shown.</p>
    </StatePanel>
  );
}

function EventItem({ event: { id, type, state, dueAt, failures = 0 } }: { readonly event: ShownInboxEvent }) {
  return (
    <li class="observed-item">
      <StatusBadge status={state} />
      <p class="observed-text">
        <strong>{type}</strong> <code>{id}</code>
      </p>
      <p class="observed-facts">
        {failures > 0 && <span class="hint">{quantity(failures, 'failed attempt', 'failed attempts')}</span>}
        {dueAt !== undefined && <span class="hint when">due {formatSeconds(dueAt)}</span>}
      </p>
    </li>
  );
}
