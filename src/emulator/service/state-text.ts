import { shownRequest } from './shown-request.js';
import type { SortedList } from './sorted-list.js';
import type { State } from './state.js';
import type { OutcomeRule, StoredPost } from './stored-records.js';
import type { Table } from './table.js';

/** Identifies a state, so that other JSON is refused. */
export const stateFormat = 'social-publishing-emulator';

/** The version of the form. Increment it when the form changes; readers state which versions they support. */
export const stateVersion = 1;

type Texts = WeakMap<object, string>;

/** Records never change, so each text is created once, however often the state is written. */
const texts: Texts = new WeakMap();

/** The texts of requests, by the access keys for which they were written: snapshots share records. */
const requestTexts = new WeakMap<object, Texts>();
const noKeys: readonly string[] = [];

function requestTextsFor(accessKeys: readonly string[] | null): Texts {
  const known = requestTexts.get(accessKeys ?? noKeys) ?? new WeakMap<object, string>();
  requestTexts.set(accessKeys ?? noKeys, known);
  return known;
}

function textOf<T extends object>(
  record: T,
  shown: (record: T) => object = (same) => same,
  known: Texts = texts,
): string {
  const before = known.get(record);
  if (before !== undefined) return before;
  const text = JSON.stringify(shown(record));
  known.set(record, text);
  return text;
}

const list = (texts: readonly string[]) => `[${texts.join(',\n')}]`;

function table<T extends object>(records: Table<T>, shown?: (record: T) => object): string {
  return list([...records.entries()].map(([id, record]) => `[${JSON.stringify(id)},${textOf(record, shown)}]`));
}

function byOwner<T extends object>(records: Table<readonly T[]>): string {
  return list(
    [...records.entries()].map(
      ([owner, own]) => `[${JSON.stringify(owner)},${list(own.map((record) => textOf(record)))}]`,
    ),
  );
}

function ordered<T extends object>(records: SortedList<T>, shown?: (record: T) => object, known?: Texts): string {
  return list(records.slice().map((record) => textOf(record, shown, known)));
}

/** Returns a post without derived fields, which JSON could not represent: a `NaN` has no JSON form. */
function shownPost({ createdMs: _, scheduledMs: __, ...post }: StoredPost): object {
  return post;
}

/** Returns a rule without infinite values: JSON has no infinity. */
function shownRule({ left, until, ...rule }: OutcomeRule): object {
  return { ...rule, ...(left === Infinity ? {} : { left }), ...(until === Infinity ? {} : { until }) };
}

/** Returns a state as JSON text. It shows only the emulator's own access keys. */
export function stateText(state: State, accessKeys: readonly string[] | null): string {
  const { time, random, creditsUsed, publishingMs, counters } = state;
  const parts: Record<string, string> = {
    integrations: table(state.integrations),
    apps: table(state.apps),
    posts: ordered(state.posts.fromOldest(), shownPost),
    comments: byOwner(state.comments),
    conversations: table(state.conversations),
    messages: byOwner(state.messages),
    automations: table(state.automations),
    logs: byOwner(state.logs),
    eligiblePosts: byOwner(state.eligiblePosts),
    postMetrics: table(state.postMetrics),
    accountMetrics: table(state.accountMetrics),
    selections: table(state.selections),
    subscriptions: table(state.subscriptions),
    outcomes: table(state.outcomes, shownRule),
    jobs: ordered(state.jobs),
    outgoing: ordered(state.outgoing),
    underWay: table(state.underWay),
    held: table(state.held),
    requests: ordered(
      state.requests,
      ({ record, ...rest }) => ({ ...rest, record: shownRequest(record) }),
      requestTextsFor(accessKeys),
    ),
    deliveries: ordered(state.deliveries),
    faults: table(state.faults),
    deliveryFaults: table(state.deliveryFaults),
  } satisfies Record<Exclude<keyof State, keyof typeof plain>, string>;
  const plain = { time, random, creditsUsed, publishingMs, counters };
  const head = JSON.stringify({ format: stateFormat, version: stateVersion, ...plain });
  const rest = Object.entries(parts).map(([name, text]) => `,\n${JSON.stringify(name)}:${text}`);
  return `${head.slice(0, -1)}${rest.join('')}}\n`;
}
