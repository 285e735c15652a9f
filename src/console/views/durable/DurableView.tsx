import { Fragment, type ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { StatusBadge } from '../../parts/Badges.js';
import { PostLink } from '../../parts/PostLink.js';
import { Problem } from '../../parts/Problem.js';
import { View } from '../../parts/View.js';
import { partOf, quantity } from '../../state/quantity.js';
import { formatSeconds } from '../../state/time.js';
import { repeat } from '../../state/timers.js';
import { useRemote } from '../../state/use-remote.js';
import { observed } from '../../world/session.js';
import {
  inboxEvents,
  intents,
  type IntentSearch,
  type ShownInboxEvent,
  type ShownIntent,
  type StateList,
} from './observed.js';

/** Handlers and sweeps of the program end without a change at the emulator. */
const pollMs = 3_000;

export function DurableView() {
  return (
    <View
      title="Durable"
      about="Intents of your publisher and events of your inbox, by state. This page only reads them."
    >
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

function Intents() {
  const page = useRemote(intents);
  const items = page?.items ?? [];
  return (
    <StatePanel title="Intents" list={intents} total="intents" shown={items.length}>
      {(page?.counts['in_doubt'] ?? 0) > 0 && (
        <p class="hint">
          The service may have created a post in doubt. <code>sweep()</code> searches for it. To decide yourself, call{' '}
          <code>publisher.resolve(key, …)</code>.
        </p>
      )}
      <ul class="observed" aria-label="Intents">
        {items.map((intent) => (
          <IntentItem key={intent.key} intent={intent} />
        ))}
      </ul>
    </StatePanel>
  );
}

function IntentItem({
  intent: { key, state, postId, content, error, lookup, updatedAt, attempts },
}: {
  readonly intent: ShownIntent;
}) {
  return (
    <li class="observed-item">
      <StatusBadge status={state} />
      <div class="observed-text">
        <p class="post-text">
          <bdi>{typeof content === 'string' ? content : ''}</bdi>
        </p>
        <p>
          <code>{key}</code>
        </p>
        {error !== undefined && <p class="hint">{error}</p>}
        {lookup !== undefined && <SearchResult lookup={lookup} />}
      </div>
      <p class="observed-facts">
        {postId !== undefined && <PostLink postId={postId}>{postId}</PostLink>}
        {attempts !== 1 && <span class="hint">{quantity(attempts, 'send', 'sends')}</span>}
        <span class="hint when">{formatSeconds(updatedAt)}</span>
      </p>
    </li>
  );
}

function SearchResult({ lookup: { result, postIds = [] } }: { readonly lookup: IntentSearch }) {
  if (result === 'failed') return <p class="hint">The last search for its post failed.</p>;
  if (postIds.length === 0) return <p class="hint">The last search found no equal post.</p>;
  return (
    <p class="hint">
      The last search found{' '}
      {postIds.map((postId, index) => (
        <Fragment key={postId}>
          {index > 0 && ', '}
          <PostLink postId={postId}>{postId}</PostLink>
        </Fragment>
      ))}
      , without proof.
    </p>
  );
}

function InboxEvents() {
  const page = useRemote(inboxEvents);
  const items = page?.items ?? [];
  return (
    <StatePanel title="Inbox events" list={inboxEvents} total="events" shown={items.length}>
      {(page?.counts['dead'] ?? 0) > 0 && (
        <p class="hint">
          The handler of a dead event failed too often. To handle the event again, call <code>inbox.replay(id)</code>.
        </p>
      )}
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

/** The counts by state, and the items of one state or of all. */
function StatePanel<Item>({
  title,
  list,
  total,
  shown,
  children,
}: {
  readonly title: string;
  readonly list: StateList<Item>;
  readonly total: string;
  /** The number of listed items. */
  readonly shown: number;
  readonly children: ComponentChildren;
}) {
  const { reload } = list;
  useEffect(() => repeat(pollMs, () => void reload()), [reload]);
  const counts = Object.entries(list.value.value?.counts ?? {});
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  // A handled event has no content to list.
  const listed = counts
    .filter(([name]) => name !== 'done' && (list.state.value === '' || list.state.value === name))
    .reduce((sum, [, count]) => sum + count, 0);
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      <Problem text={list.error.value} retry={() => void reload()} />
      {list.value.value === undefined ? (
        <p class="hint">Loading</p>
      ) : (
        <div class="button-row" role="group" aria-label={`${title} by state`}>
          <StateButton list={list} name="" label={`All ${total}: ${all}`} />
          {counts.map(([name, count]) => (
            <StateButton key={name} list={list} name={name} label={`${name}: ${count}`} />
          ))}
        </div>
      )}
      {list.value.value !== undefined && all === 0 && <p class="hint">No {total} yet.</p>}
      {all > 0 && children}
      {shown > 0 && shown < listed && (
        <p class="hint">{partOf(shown, listed, quantity(listed, total, total))} are listed.</p>
      )}
    </section>
  );
}

function StateButton<Item>({
  list: { state, reload },
  name,
  label,
}: {
  readonly list: StateList<Item>;
  readonly name: string;
  readonly label: string;
}) {
  return (
    <button
      type="button"
      class="button"
      aria-pressed={state.value === name}
      onClick={() => {
        state.value = name;
        void reload();
      }}
    >
      {label}
    </button>
  );
}
