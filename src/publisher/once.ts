/** Calls that a service may execute twice, and whose result no list shows: a mark in the store precedes each call. */
import {
  IntentConflictError,
  InvalidRequestError,
  SocialPublishingError,
  type Issue,
  provenOutcome,
} from '../core/errors.js';
import { canonicalJson, differingFields, jsonCopy } from '../core/json.js';
import {
  checkCallOptions,
  checkPassed,
  invalidArgument,
  isFunction,
  issueAt,
  reportTo,
  oneOf,
  optionsOf,
  present,
  unchecked,
} from '../core/call/options.js';
import { listedWaits, retrying } from '../core/flow/retrying.js';
import { defaultRuntime } from '../core/runtime.js';
import {
  change,
  formatOf,
  keysWaking,
  recordsIn,
  type NextRecord,
  type Records,
  type Versioned,
  ForeignItems,
} from '../stores/records.js';
import { isStore } from '../stores/checks.js';
import type { DurableStore } from '../stores/store.js';
import { formsOf, normalKey, prefixOf } from './intents/intent-space.js';
import { isScope } from './options.js';

/** Options of {@link createOnce}. */
export interface OnceOptions {
  /** The store of the keys. All processes that make the same calls share it. It can be the store of a publisher. */
  readonly store: DurableStore;
  /**
   * The name of a project, at most 256 characters. The same key in two scopes is two calls. Without a scope, the keys
   * are those without a scope.
   */
  readonly scope?: string | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The result of a call that was made once. */
export interface OnceResult<Result> {
  /** The result of the call. A replayed result is as JSON keeps it: a `Date` is a text, an `undefined` field is missing. */
  readonly result: Result;
  /** Whether an earlier call with this key had the result. */
  readonly replayed: boolean;
}

/** The decision of an operator on a held call. */
export type OnceDecision =
  | {
      /** The call was executed. */
      readonly as: 'done';
      /** The result that later calls with the key return. Default `undefined`. */
      readonly result?: unknown;
    }
  | {
      /** The call was not executed. The key is free again. */
      readonly as: 'not_sent';
    };

/** A key whose call may have been executed. */
export interface HeldCall {
  /** The key. */
  readonly key: string;
  /** The time of the mark, before the call began: ISO 8601, UTC. */
  readonly createdAt: string;
}

/** Makes calls once per key: see {@link createOnce}. */
export interface Once {
  /**
   * Marks the key, makes the call, and stores its result. It costs two writes and no read.
   *
   * - The same key and body again: returns the stored result, and makes no call.
   * - A refusal (outcome `rejected`), or a proof that nothing was sent (`not_sent`): rejects with the error of the call,
   *   and the key is free again.
   * - Any other error, also the reason of an abort: rejects with it, and the key is held, because the call may have been
   *   executed.
   *
   * @param key names the call, for example `reply/msg_1`. Two Unicode forms of one text are one key
   * @param body what the call sends, as JSON. It is compared in any order of its fields
   * @param call receives the body, and makes one call of the service. With two, a refusal of the second one would free the
   *   key although the first one was executed
   * @throws OnceHeldError an earlier call with the key may have been executed, or still runs. Nothing was called
   * @throws IntentConflictError the key has another body. Nothing was called
   * @throws InvalidRequestError key or body cannot be stored. Nothing was called
   */
  <Body, Result>(key: string, body: Body, call: (body: Body) => Promise<Result>): Promise<OnceResult<Result>>;
  /**
   * Records an operator's decision on a held call. Check first whether it was executed: a wrong `not_sent` executes it
   * twice. Also check that no process still makes the call: a mark has no lease. If the store fails, the decision may be
   * recorded. Before you repeat it, call `held()`: if its `createdAt` differs, a newer call holds the key.
   * @throws InvalidRequestError the key is not held, a newer call holds it, or the decision is another one. Nothing changed
   */
  resolve(key: string, decision: OnceDecision): Promise<void>;
  /**
   * Yields the held calls, the oldest first. It reads only these, and calls that run now.
   * @throws {@link ForeignDataError} a newer version wrote one of them; the others were yielded
   */
  held(): AsyncIterable<HeldCall>;
}

/** An earlier call with the key may have been executed, or still runs. Nothing was called. */
export class OnceHeldError extends SocialPublishingError {
  override readonly name = 'OnceHeldError';
  /** The key. */
  readonly key: string;
  /** The time of the mark, before the call began: ISO 8601, UTC. */
  readonly createdAt: string;

  constructor({ key, createdAt }: HeldCall) {
    super(
      `A call with the key ${JSON.stringify(key)} began at ${createdAt}, and its result is unknown. It may have been executed, ` +
        'or still run. Nothing was called. Wait until at least 10 minutes after it began, and check at the service whether it ' +
        "was executed. Then call resolve(key, { as: 'done' }) or resolve(key, { as: 'not_sent' }). Another key would execute " +
        'it again.',
      { outcome: 'unknown' },
    );
    this.key = key;
    this.createdAt = createdAt;
  }
}

interface Mark {
  /** Random, so that equal marks of two processes differ. */
  readonly id: string;
  readonly at: number;
  readonly body: unknown;
  /** Missing, without `done`: its outcome is unknown. */
  readonly result?: unknown;
  readonly done?: true;
}

/** Release 0.2.0 wrote the same format for its tools. */
const format = formatOf<Mark>('format', 1);

/** How a call with a key ended. */
export type OnceEnd<Result> =
  | { readonly kind: 'done'; readonly result: Result; readonly replayed: boolean; readonly isStored: boolean }
  /** Nothing was called: an earlier call with the key may have been executed. */
  | { readonly kind: 'held'; readonly error: OnceHeldError }
  /** It was not executed. */
  | { readonly kind: 'refused'; readonly error: unknown; readonly isFree: boolean }
  /** It may have been executed. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** The marks below one prefix of a store. */
export class OnceCalls {
  readonly #store: DurableStore;
  readonly #marks: Records<Mark>;
  readonly #prefix: string;
  readonly #now: () => number;

  constructor(store: DurableStore, prefix: string, now: () => number) {
    this.#store = store;
    this.#marks = recordsIn(store, format);
    this.#prefix = prefix;
    this.#now = now;
  }

  /**
   * Returns how the earlier call with a key ended. `undefined`: the key is free.
   * @throws IntentConflictError
   */
  async earlier(key: string, body: unknown): Promise<OnceEnd<unknown> | undefined> {
    const { found } = await this.#find(key);
    return found && endOf(key, body, found.record);
  }

  /** @throws IntentConflictError, or the store's error: nothing was called */
  async run<Result>(key: string, body: unknown, call: () => Promise<Result>): Promise<OnceEnd<Result>> {
    const at = this.#now();
    const mark: Mark = { id: defaultRuntime.newId(), at, body };
    // Release 0.2.0 may have marked another form of the key. A key of ASCII has one form, and nothing is read.
    const { storedAt, found } =
      formsOf(key).length > 1 ? await this.#find(key) : { storedAt: this.#prefix + key, found: undefined };
    // Only an open mark has a time, so that `due` finds the open ones.
    const { old, written } = await change(
      this.#marks,
      storedAt,
      (other) => (other === undefined ? { record: mark, wakeAt: at } : undefined),
      { known: found ?? 'new' },
    );
    // It was stored as JSON, as the docs of the result say.
    if (old !== undefined) return endOf(key, body, old) as OnceEnd<Result>;
    let result: Result;
    try {
      result = await call();
    } catch (error) {
      if (provenOutcome(error) === 'unknown') return { kind: 'unknown', error };
      // Without the mark, the key can be used again.
      const free = () => this.#marks.write(storedAt, written, null);
      const isFree = await retrying(free, { schedule: listedWaits([50, 250]) }).then(
        () => true,
        () => false,
      );
      return { kind: 'refused', error, isFree };
    }
    // The call was executed, whatever the store says now.
    const stored = await this.#marks
      .write(storedAt, written, { record: doneMark(mark, result), wakeAt: null })
      .catch(() => undefined);
    return { kind: 'done', result, replayed: false, isStored: stored !== undefined };
  }

  /** @throws InvalidRequestError the key is not held */
  async resolve(key: string, decision: OnceDecision): Promise<void> {
    const { storedAt, found } = await this.#find(key);
    const decide = (mark: Mark | undefined): NextRecord<Mark> => {
      if (mark === undefined)
        throw invalidArgument('key', 'has no call: its call was never made, or was proved not to be executed');
      if (mark.id !== found?.record.id)
        throw invalidArgument('key', 'has a newer call: call held() again before you decide');
      if (!isDone(mark))
        return decision.as === 'done' ? { record: doneMark(mark, decision.result), wakeAt: null } : null;
      if (decision.as === 'done') return undefined;
      throw invalidArgument('key', 'has a result: its call was executed');
    };
    await change(this.#marks, storedAt, decide, { known: found ?? 'new' });
  }

  /**
   * Yields the calls that may have been executed, or still run, the oldest first.
   * @throws ForeignDataError a newer version wrote one of them; the others were yielded
   */
  async *open(): AsyncGenerator<{ readonly held: HeldCall; readonly body: unknown }, void, undefined> {
    const foreign = new ForeignItems();
    for (const storedAt of await keysWaking(this.#store, this.#prefix)) {
      const mark = (await foreign.skip(() => this.#marks.read(storedAt)))?.record;
      if (mark !== undefined && !isDone(mark))
        yield { held: heldCall(storedAt.slice(this.#prefix.length), mark), body: mark.body };
    }
    foreign.check();
  }

  /** Reads the mark of a key, and returns where it is, or belongs. */
  async #find(key: string): Promise<{ readonly storedAt: string; readonly found: Versioned<Mark> | undefined }> {
    for (const form of formsOf(key)) {
      const storedAt = this.#prefix + form;
      const found = await this.#marks.read(storedAt);
      if (found !== undefined) return { storedAt, found };
    }
    return { storedAt: this.#prefix + normalKey(key), found: undefined };
  }
}

/** @throws IntentConflictError */
function endOf(key: string, body: unknown, mark: Mark): OnceEnd<unknown> {
  if (canonicalJson(mark.body) !== canonicalJson(body))
    throw new IntentConflictError(key, { call: differingFields(mark.body, body) });
  if (!isDone(mark)) return { kind: 'held', error: new OnceHeldError(heldCall(key, mark)) };
  return { kind: 'done', result: mark.result, replayed: true, isStored: true };
}

const isDone = ({ result, done }: Mark): boolean => result !== undefined || done === true;

const heldCall = (key: string, { at }: Mark): HeldCall => ({ key, createdAt: new Date(at).toISOString() });

/** Adds the result to a mark, without the parts that JSON cannot hold. */
function doneMark(mark: Mark, result: unknown): Mark {
  const done = { ...mark, done: true as const };
  try {
    JSON.stringify(result);
    return { ...done, result };
  } catch {
    return { ...done, result: jsonCopy(result, () => undefined) };
  }
}

const decisionCheck = optionsOf<{ as: string; result?: unknown }>('a part of a decision', {
  as: present(oneOf('done', 'not_sent')),
  result: unchecked,
});

const optionsCheck = optionsOf<OnceOptions>('an option of createOnce', {
  store: isStore,
  scope: isScope,
  now: isFunction,
});

/**
 * Makes calls at most once per key, across crashes and processes: messages, automations, or any other write that the API
 * can execute twice. The key is marked before the call. If the process ends before the result is stored, the key is
 * held until an operator decides, and nothing is repeated. There is no lease: a call that still runs holds its key too.
 *
 * For posts, use {@link createPublisher}: it finds out whether a post was created.
 *
 * @example
 * ```ts
 * const once = createOnce({ store });
 * const { result, replayed } = await once('reply/msg_1', body, (body) => client.messages.send(body));
 * ```
 * @throws ConfigurationError an option is invalid
 */
export function createOnce(options: OnceOptions): Once {
  checkPassed(optionsCheck, options);
  const { store, now = Date.now } = options;
  // Beside `once/`, so that a scan of one scope shows no key of another.
  const prefix = prefixOf(options.scope?.normalize('NFC'), ['once/', 'scoped-once/']);
  const calls = new OnceCalls(store, prefix, now);

  async function once<Body, Result>(
    key: string,
    body: Body,
    call: (body: Body) => Promise<Result>,
  ): Promise<OnceResult<Result>> {
    const end = await calls.run(key, checkedBody(key, body, call), () => call(body));
    if (end.kind === 'done') return { result: end.result, replayed: end.replayed };
    throw end.error;
  }

  return Object.assign(once, {
    resolve: async (key: string, decision: OnceDecision) => {
      checkCallOptions(present(decisionCheck), decision); // Another decision must not free the key.
      if (typeof (key as unknown) !== 'string') throw invalidArgument('key', 'must be a text');
      await calls.resolve(key, decision);
    },
    async *held(): AsyncGenerator<HeldCall> {
      for await (const { held } of calls.open()) yield held;
    },
  });
}

/** Returns the body as it is stored. */
function checkedBody(key: unknown, body: unknown, call: unknown): unknown {
  const issues: Issue[] = [];
  if (typeof call !== 'function') issues.push(issueAt(['call'], 'must be a function'));
  if (typeof key !== 'string' || key === '') issues.push(issueAt(['key'], 'must be a text that is not empty'));
  const copy = jsonCopy(body, reportTo(issues, ['body']));
  if (issues.length > 0) throw new InvalidRequestError(issues);
  return copy ?? null;
}
