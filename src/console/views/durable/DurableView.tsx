import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { StatusBadge } from '../../parts/Badges.js';
import { PostLink } from '../../parts/PostLink.js';
import { Problem } from '../../parts/Problem.js';
import { Table } from '../../parts/Table.js';
import { View } from '../../parts/View.js';
import { formatSeconds } from '../../state/time.js';
import { repeat } from '../../state/timers.js';
import { useRemote } from '../../state/use-remote.js';
import { observed } from '../../world/session.js';
import { inboxEvents, intents, type StateList } from './observed.js';

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
          Nothing is observed. Pass <code>observe: {'{ publisher, inbox }'}</code> to <code>serveEmulator</code>.
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
    <StatePanel title="Intents" list={intents} total="intents">
      <Table label="Table of intents" heads={['Key', 'State', 'Post', 'Content', 'Changed']} numbers={['Sends']}>
        {items.map(({ key, state, postId, content, error, updatedAt, attempts }) => (
          <tr key={key}>
            <td>
              <code>{key}</code>
            </td>
            <td>
              <StatusBadge status={state} />
              {error !== undefined && <p class="hint">{error}</p>}
            </td>
            <td>{postId !== undefined && <PostLink postId={postId}>{postId}</PostLink>}</td>
            <td class="table-text">
              <bdi>{typeof content === 'string' ? content : ''}</bdi>
            </td>
            <td class="when">{formatSeconds(updatedAt)}</td>
            <td class="number">{attempts}</td>
          </tr>
        ))}
      </Table>
    </StatePanel>
  );
}

function InboxEvents() {
  const items = useRemote(inboxEvents)?.items ?? [];
  return (
    <StatePanel title="Inbox events" list={inboxEvents} total="events">
      <Table
        label="Table of inbox events"
        heads={['Event', 'Type', 'State', 'Next attempt']}
        numbers={['Failed attempts']}
      >
        {items.map(({ id, type, state, dueAt, failures }) => (
          <tr key={id}>
            <td>
              <code>{id}</code>
            </td>
            <td>{type ?? ''}</td>
            <td>
              <StatusBadge status={state} />
            </td>
            <td class="when">{formatSeconds(dueAt)}</td>
            <td class="number">{failures ?? ''}</td>
          </tr>
        ))}
      </Table>
      <p class="hint">The inbox removes the content of an event when it is done, so that only its count is shown.</p>
    </StatePanel>
  );
}

/** The counts by state, and the items of one state or of all. */
function StatePanel<Item>({
  title,
  list,
  total,
  children,
}: {
  readonly title: string;
  readonly list: StateList<Item>;
  readonly total: string;
  readonly children: ComponentChildren;
}) {
  const { reload } = list;
  useEffect(() => repeat(pollMs, () => void reload()), [reload]);
  const counts = Object.entries(list.value.value?.counts ?? {});
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
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
      class="button button-quiet"
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
