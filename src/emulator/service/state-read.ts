import { isFields } from '../../core/json.js';
import { ConfigurationError, formatIssues } from '../../core/errors.js';
import { describeIssues } from '../../schema/issues.js';
import { safeParse } from '../../schema/check.js';
import { derivedFields, type DerivedField } from './derived-fields.js';
import type { PostTable } from './post-table.js';
import type { SortedList } from './sorted-list.js';
import { emptyState, type State } from './state.js';
import { stateSchema } from './state-schema.js';
import { stateFormat, stateVersion } from './state-text.js';
import type { OutcomeRule, StoredPost } from './stored-records.js';
import type { Table } from './table.js';

type Entries<T> = readonly (readonly [id: string, record: T])[];

/** A state in JSON form, checked by the schema. */
type Written = { readonly [Part in keyof State]: WrittenPart<State[Part]> };

type WrittenPart<Part> =
  Part extends Table<infer T>
    ? Entries<T>
    : Part extends SortedList<infer T>
      ? readonly T[]
      : Part extends PostTable
        ? readonly Omit<StoredPost, DerivedField>[]
        : Part;

/**
 * Creates a state from its JSON. The result shares its records, which never change.
 * @throws ConfigurationError if it is not a state, or one of a later version
 */
export function readState(json: unknown): State {
  const written = checked(json);
  const state = emptyState(written.time, 0);
  const { random, creditsUsed, publishingMs, counters } = written;
  Object.assign(state, { random, creditsUsed, publishingMs, counters: { ...counters } });
  // The same part has the same records on both sides, which the types cannot express for all parts at once.
  for (const part of tables) fill(state[part] as Table<object>, written[part] as Entries<object>);
  for (const part of lists) for (const record of written[part]) (state[part] as SortedList<object>).set(record);
  for (const [id, rule] of written.outcomes) state.outcomes.set(id, wholeRule(rule));
  for (const post of written.posts) state.posts.set({ ...withOptionals(post), ...derivedFields(post) });
  return state;
}

const tables = [
  'integrations',
  'apps',
  'comments',
  'conversations',
  'messages',
  'automations',
  'logs',
  'eligiblePosts',
  'postMetrics',
  'accountMetrics',
  'selections',
  'subscriptions',
  'underWay',
  'held',
  'faults',
  'deliveryFaults',
] as const satisfies (keyof State)[];

const lists = ['jobs', 'outgoing', 'requests', 'deliveries'] as const satisfies (keyof State)[];

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
  const result = safeParse(stateSchema(), json);
  if (!result.success)
    throw new ConfigurationError(
      `The state of the emulator is broken: ${formatIssues(describeIssues(result.error.issues))}`,
    );
  // The schema checked it, but cannot express which of its records the service's types contain.
  return json as unknown as Written;
}

function fill<T>(table: Table<T>, entries: Entries<T>): void {
  for (const [id, record] of entries) table.set(id, record);
}

function wholeRule(rule: Omit<OutcomeRule, 'left' | 'until' | 'struck'> & Partial<OutcomeRule>): OutcomeRule {
  return { ...rule, left: rule.left ?? Infinity, until: rule.until ?? Infinity, struck: rule.struck ?? 0 };
}

/** JSON omits fields whose value was `undefined`. */
function withOptionals<T extends object>(post: T): T & Pick<StoredPost, 'content' | 'scheduledFor' | 'dueAt'> {
  return { content: undefined, scheduledFor: undefined, dueAt: undefined, ...post };
}
