import { Fragment, type ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Loading } from '../../parts/Loading.js';
import { StatusBadge } from '../../parts/Badges.js';
import { PostLink } from '../../parts/PostLink.js';
import { Problem } from '../../parts/Problem.js';
import { View } from '../../parts/View.js';
import { linkTo } from '../../state/route.js';
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

/** The part of a text by which its requests are found. */
const searchedLength = 60;

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
  const items = useRemote(intents)?.items ?? [];
  return (
    <StatePanel title="Intents" list={intents} total="intents" shown={items.length}>
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
        {attempts > 0 && typeof content === 'string' && content !== '' && (
          <a href={linkTo('requests', { q: content.slice(0, searchedLength) })}>Requests</a>
        )}
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
        <Loading />
      ) : (
        <div class="button-row" role="group" aria-label={`${title} by state`}>
          <StateButton list={list} name="" label={`All ${total}: ${all}`} />
          {counts.map(([name, count]) => (
            <StateButton key={name} list={list} name={name} label={`${name}: ${count}`} />
          ))}
        </div>
      )}
      {counts
        .filter(([name]) => (list.state.value === '' ? decided.includes(name) : name === list.state.value))
        .map(([name]) => (
          <Meaning key={name} state={name} />
        ))}
      {list.value.value !== undefined && all === 0 && <p class="hint">No {total} yet.</p>}
      {all > 0 && children}
      {shown > 0 && shown < listed && (
        <p class="hint">{partOf(shown, listed, quantity(listed, total, total))} are listed.</p>
      )}
    </section>
  );
}

/** The states that need a decision: their meaning is always shown. */
const decided: readonly string[] = ['in_doubt', 'rejected', 'dead'];

/** The meaning of the other states than the final ones of a post. Between backquotes: code. */
const meanings: Readonly<Record<string, string>> = {
  ready: 'not sent yet, or the service certainly created no post. `publisher.sweep()` sends it.',
  sending:
    'a process is sending it. If the process was killed, `publisher.sweep()` searches for the post a minute later.',
  accepted: 'the post exists. `publisher.sweep()` reads its result.',
  in_doubt:
    'the service may have created the post. `publisher.sweep()` searches for it. If it finds none, decide with `publisher.resolve(key, …)`.',
  rejected:
    'the service refused the request, so no post exists. Call `publisher.resolve(key, …)`, or publish a corrected body under a new key.',
  abandoned: 'you decided that it is never sent.',
  failed: 'to publish failed targets again, call `publisher.retryFailed(key, newKey)`.',
  partial: 'to publish failed targets again, call `publisher.retryFailed(key, newKey)`.',
  waiting: 'not handled yet. `inbox.start()` runs the handlers.',
  dead: 'the handler failed too often. To handle the event again, call `inbox.replay(id)`.',
};

function Meaning({ state }: { readonly state: string }) {
  const words = meanings[state];
  if (words === undefined) return null;
  return (
    <p class="hint observed-meaning">
      <strong>{state}</strong>:{' '}
      {words.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </p>
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
