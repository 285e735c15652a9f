import { shownRequest } from './traffic.js';
import type { SortedList } from './sorted-list.js';
import { type State, emptyState, lists, tables } from './state.js';
import type { StoredPost } from './stored-records.js';
import type { Table } from './table.js';
import { isFields } from '../../core/json.js';
import { ConfigurationError } from '../../core/errors.js';
import { parsed } from '../../schema/issues.js';
import { derivedFields, type DerivedField } from './post-view.js';
import { stateSchema } from './state-schema.js';

/** Identifies a state, so that other JSON is refused. */
const stateFormat = 'social-publishing-emulator';

/** The version of the form. Increment it when the form changes; readers state which versions they support. */
const stateVersion = 1;

/** Records never change, so each text is created once, however often the state is written. */
const texts = new WeakMap<object, string>();

function textOf<T extends object>(record: T, shown: (record: T) => object = (same) => same): string {
  const before = texts.get(record);
  if (before !== undefined) return before;
  const text = JSON.stringify(shown(record));
  texts.set(record, text);
  return text;
}

const list = (texts: readonly string[]) => `[${texts.join(',\n')}]`;

function table<T extends object>(records: Table<T>): string {
  const written = (record: T) =>
    Array.isArray(record) ? list(record.map((one: object) => textOf(one))) : textOf(record);
  return list([...records.entries()].map(([id, record]) => `[${JSON.stringify(id)},${written(record)}]`));
}

function ordered<T extends object>(records: Pick<SortedList<T>, 'slice'>, shown?: (record: T) => object): string {
  return list(records.slice().map((record) => textOf(record, shown)));
}

/** Returns a post without derived fields, which JSON could not represent: a `NaN` has no JSON form. */
function shownPost({ createdMs: _, scheduledMs: __, ...post }: StoredPost): object {
  return post;
}

/** Returns a state as JSON text. It shows no access key. */
export function stateText(state: State): string {
  const { time, random, creditsUsed, publishingMs, counters } = state;
  const parts = [
    ...tables.map((name) => [name, table<object>(state[name])]),
    ['posts', ordered(state.posts.fromOldest(), shownPost)],
    ...(['jobs', 'outgoing', 'deliveries'] as const).map((name) => [name, ordered<object>(state[name])]),
    ['requests', ordered(state.requests, ({ record, ...rest }) => ({ ...rest, record: shownRequest(record) }))],
  ];
  const plain = { time, random, creditsUsed, publishingMs, counters };
  const head = JSON.stringify({ format: stateFormat, version: stateVersion, ...plain });
  const rest = parts.map(([name, text = '']) => `,\n${JSON.stringify(name)}:${text}`);
  return `${head.slice(0, -1)}${rest.join('')}}\n`;
}

/** A state in JSON form, checked by the schema. */
type Written = Pick<State, 'time' | 'random' | 'creditsUsed' | 'publishingMs' | 'counters'> &
  Readonly<Record<(typeof tables)[number], readonly (readonly [id: string, record: object])[]>> &
  Readonly<Record<(typeof lists)[number], readonly object[]>> & {
    readonly posts: readonly Omit<StoredPost, DerivedField>[];
  };

/**
 * Creates a state from its JSON. The result shares its records, which never change.
 * @throws ConfigurationError if it is not a state, or one of a later version
 */
export function readState(json: unknown): State {
  const written = checked(json);
  const { time, random, creditsUsed, publishingMs, counters } = written;
  const state = { ...emptyState(time, random), creditsUsed, publishingMs, counters: { ...counters } };
  // The same part has the same records on both sides, which the types cannot express for all parts at once.
  for (const part of tables) for (const [id, record] of written[part]) (state[part] as Table<object>).set(id, record);
  for (const part of lists) for (const record of written[part]) (state[part] as SortedList<object>).set(record);
  for (const post of written.posts) state.posts.set({ ...withOptionals(post), ...derivedFields(post) });
  return state;
}

function checked(json: unknown): Written {
  if (!isFields(json) || json.format !== stateFormat)
    throw new ConfigurationError(
      `This is not a state of the emulator: it has no format '${stateFormat}'. Pass the result of snapshot().toJSON().`,
    );
  const { version } = json;
  if (typeof version === 'number' && version > stateVersion)
    throw new ConfigurationError(
      `The state is of version ${String(version)}, and this package reads up to ${String(stateVersion)}: use a later version of the package, or start without the state.`,
    );
  if (version !== stateVersion) throw new ConfigurationError(`The state's version does not exist.`);
  parsed(stateSchema(), json, (issues) => new ConfigurationError(`The state of the emulator is broken: ${issues}`));
  // The schema checked it, but cannot express which of its records the service's types contain.
  return json as unknown as Written;
}

/** JSON omits fields whose value was `undefined`. */
function withOptionals<T extends object>(post: T): T & Pick<StoredPost, 'content' | 'scheduledFor' | 'dueAt'> {
  return { content: undefined, scheduledFor: undefined, dueAt: undefined, ...post };
}
