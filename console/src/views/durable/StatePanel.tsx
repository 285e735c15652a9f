import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Loading } from '../../parts/Loading.js';
import { Problem } from '../../parts/Problem.js';
import { partOf, quantity } from '../../state/quantity.js';
import { repeat } from '../../state/timers.js';
import type { StateList } from './observed.js';

/** Handlers and sweeps of the program end without a change at the emulator. */
const pollMs = 3_000;

/** The counts by state, and the items of one state or of all. */
export function StatePanel<Item>({
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
  ready:
    'not sent yet, or the service certainly created no post. `publisher.sweep()` sends it, not before its `sendAt`.',
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
