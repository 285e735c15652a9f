/** Input and output around the state machine: what it says is to be done is done here, and what came of it is told to it. */
import { ConfigurationError, type InvalidRequestError } from '../core/errors.js';
import { Claims } from './claims.js';
import type { Happening, Step } from './intent.js';
import { Intents, type Versioned } from './intents.js';
import { lookUp, type Looked, type Wanted } from './look-up.js';
import type { PublisherSettings } from './options.js';
import type { IntentError, IntentRecord } from './record.js';
import { send, type Outcome, type Replied } from './send.js';
import { SharedLook } from './shared-look.js';
import { ServiceClock } from './service-clock.js';
import { chooseSlot } from './slots.js';
import type { Internals, StepName } from './steps.js';

/** The pauses before the reply to a create is noted again, where the store does not take it. */
const notePausesMs = [100, 500, 2_000];

/** What came of moving an intent on. */
export interface Moved {
  readonly record: IntentRecord;
  /** The client refused to send it: nothing was sent. */
  readonly invalid?: InvalidRequestError | undefined;
}

export class Engine {
  readonly settings: PublisherSettings;
  readonly intents: Intents;
  readonly claims: Claims;
  readonly #clock = new ServiceClock();
  readonly #shared = new SharedLook((wanted) => this.#lookUp(wanted));
  readonly #internals: Internals;

  constructor(settings: PublisherSettings, internals: Internals) {
    this.settings = settings;
    this.intents = new Intents(settings.store, settings);
    this.claims = new Claims(settings.store);
    this.#internals = internals;
  }

  now(): number {
    return this.settings.now();
  }

  /** What an intent becomes when somebody wants it to go on. Nothing is written. */
  async begin(record: IntentRecord, force: boolean): Promise<Step> {
    const at = this.now();
    const skewMs = this.#clock.skew(at);
    const happening: Happening & { type: 'resume' } = { type: 'resume', at, owner: newOwner(), force, skewMs };
    const next = this.intents.step(record, happening);
    if (next.todo !== 'send') return next;
    const slot = await chooseSlot(this.settings, this.claims, record, at + (skewMs ?? 0));
    return slot === undefined ? next : this.intents.step(record, { ...happening, slot });
  }

  /** Does what there is to do for an intent: sends it, looks for its post, or nothing. */
  async advance(read: Versioned, force: boolean): Promise<Moved> {
    let current: Versioned | undefined = read;
    for (;;) {
      const { record, todo } = await this.begin(current.record, force);
      if (todo === 'nothing') return { record };
      if (todo === 'look') {
        const looked = await this.look([{ record, own: false }]);
        const seen = looked.get(record.key);
        if (seen?.todo !== 'resume') return { record: seen?.record ?? record };
      } else {
        const marked = await this.mark(record, () => this.intents.replace(current as Versioned, record));
        if (marked !== undefined) return this.deliver(marked);
      }
      const key: string = current.record.key;
      current = await this.intents.read(key);
      if (current === undefined) return { record };
    }
  }

  /** Writes the mark without which nothing is sent. `undefined`: another was faster. */
  async mark(record: IntentRecord, write: () => Promise<Versioned | undefined>): Promise<Versioned | undefined> {
    await this.#at('mark', record);
    const written = await write();
    if (written !== undefined) await this.#at('marked', record);
    return written;
  }

  /** Sends an intent whose mark was just written here. */
  async deliver(written: Versioned): Promise<Moved> {
    const { record: marked } = written;
    if (!(await this.#isStillOurs(marked))) return { record: marked };
    const sent = await send(this.settings.client, marked, () => this.now());
    if ('skewMs' in sent) this.#clock.see(sent.skewMs, this.now());
    if ('invalid' in sent) return this.#refuse(marked, sent.invalid);
    const { key } = marked;
    if ('news' in sent) await this.#at('replied', marked);
    const happening = await this.#insist(() => this.#happeningOf(marked, sent));
    const noted = await this.#insist(() => this.intents.apply(key, happening, written));
    await this.#at('noted', marked);
    if (noted?.todo !== 'look') return { record: noted?.record ?? marked };
    const seen = (await this.look([{ record: noted.record, own: true }])).get(key);
    return { record: seen?.record ?? noted.record };
  }

  /** Looks for the posts of several intents, and notes what it saw. */
  async look(wanted: readonly Wanted[]): Promise<Map<string, Step>> {
    for (const { record } of wanted) await this.#at('looking', record);
    // What was sent a moment ago is found at once, most of the time: it waits for no other look.
    const all = wanted.every(({ own }) => own) ? await this.#lookUp(wanted) : await this.#shared.look(wanted);
    for (const { record } of wanted) await this.#at('looked', record);
    const steps = new Map<string, Step>();
    for (const looked of all) {
      const next = await this.intents.apply(looked.key, this.#seen(looked));
      if (next !== undefined) steps.set(looked.key, next);
    }
    return steps;
  }

  #lookUp(wanted: readonly Wanted[]): Promise<Looked[]> {
    return lookUp({ settings: this.settings, claims: this.claims, clock: this.#clock }, wanted);
  }

  #seen(looked: Looked): Happening {
    const at = this.now();
    const { skewMs } = looked;
    if (looked.type === 'found') return { type: 'found', at, news: looked.news };
    if (looked.type === 'missing') return { type: 'missing', at, skewMs };
    return { type: 'unseen', at, skewMs, error: looked.error };
  }

  /** The post of a reply is claimed before it is noted: it may have been taken for an equal intent's meanwhile. */
  async #happeningOf(marked: IntentRecord, sent: Outcome): Promise<Happening> {
    const { key, attempts: attempt, createdAt } = marked;
    if ('failure' in sent) return { type: 'failure', at: this.now(), attempt, createdAt, failure: sent.failure };
    const { news, skewMs } = sent;
    const isOurs = await this.claims.claimPost(news.postId, key);
    await this.#at('claimed', marked);
    if (isOurs) return this.#replyOf(marked, sent);
    const failure = { kind: 'unknown', error: taken, skewMs } as const;
    return { type: 'failure', at: this.now(), attempt, createdAt, failure };
  }

  #replyOf({ attempts: attempt, createdAt }: IntentRecord, { news, skewMs }: Replied): Happening {
    return { type: 'reply', at: this.now(), attempt, createdAt, news, skewMs };
  }

  /** A store that took longer than the lease for the mark may have let others in. */
  async #isStillOurs(marked: IntentRecord): Promise<boolean> {
    if (this.now() < (marked.lease?.until ?? 0)) return true;
    const { record } = (await this.intents.read(marked.key)) ?? {};
    return record?.state === 'sending' && record.lease?.owner === marked.lease?.owner;
  }

  async #refuse(marked: IntentRecord, invalid: InvalidRequestError): Promise<Moved> {
    const { name, message, outcome } = invalid;
    const error: IntentError = { name, message, outcome };
    const { key, attempts: attempt, createdAt } = marked;
    const failure = { kind: 'rejected', error } as const;
    const noted = await this.intents.apply(key, { type: 'failure', at: this.now(), attempt, createdAt, failure });
    return { record: noted?.record ?? marked, invalid };
  }

  /** A reply exists once: a store that fails for a moment must not cost it. */
  async #insist<T>(write: () => Promise<T>): Promise<T> {
    const sleep = this.#internals.sleep ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
    for (const pauseMs of notePausesMs) {
      try {
        return await write();
      } catch (error) {
        // What a newer version wrote stays what it is.
        if (error instanceof ConfigurationError) throw error;
        await sleep(pauseMs);
      }
    }
    return write();
  }

  #at(name: StepName, { key }: IntentRecord): void | Promise<void> {
    return this.#internals.onStep?.(name, key);
  }
}

const taken: IntentError = {
  name: 'SocialPublishingError',
  message:
    'The post that the service answered with belongs to another intent already. It was taken for that one while that one ' +
    'was in doubt, or its ID was given twice (by an emulator that was started anew beside an old store, say). ' +
    'Look at the service, then tell the publisher with `resolve`.',
  outcome: 'unknown',
};

/** Tells one send from another, so that a write can be recognised as one's own. */
function newOwner(): string {
  return crypto.randomUUID();
}
