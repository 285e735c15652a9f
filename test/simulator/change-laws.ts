/** Intents before their send: what is cancelled, edited, paused, too early or too late is not sent. */
import type { IntentRecord } from '../../src/publisher/intents/intent-record.js';
import { hasTwins } from './plan.js';
import type { Break, Process, Surroundings } from './parts.js';
import type { SendLaws } from './send-laws.js';

/** A write of an intent, and the owner of its sends. */
interface Write {
  readonly machine: Process;
  /** The key with its life. */
  readonly owner: string;
  readonly before: IntentRecord | undefined;
  readonly now: IntentRecord;
  readonly isDecision: boolean;
}

export class ChangeLaws {
  /** The running calls that change intents, by process and key. */
  readonly changing = new Map<string, number>();
  /** How many calls of a process may send, by its name. A call of a process that crashed never ends. */
  readonly #sending = new Map<string, number>();
  /** Intents that an operator called not sent: he wants them sent, however late. */
  readonly #decided = new Set<string>();
  readonly #world: Surroundings;
  readonly #sends: SendLaws;
  readonly #break: Break;

  constructor(world: Surroundings, sends: SendLaws, breaks: Break) {
    this.#world = world;
    this.#sends = sends;
    this.#break = breaks;
  }

  /** A call that may send begins. Returns the function to call at its end. */
  maySend({ name }: Process): () => void {
    this.#sending.set(name, (this.#sending.get(name) ?? 0) + 1);
    return () => {
      this.#sending.set(name, (this.#sending.get(name) ?? 0) - 1);
    };
  }

  /** @returns whether a caller cancelled or edited the intent */
  written(write: Write): boolean {
    const { before, now, owner, isDecision } = write;
    const isChange = before !== undefined && isChanged(before, now);
    if (isChange) this.#checkChange(write, before);
    if (isDecision && now.state === 'ready') this.#decided.add(owner);
    if (now.state === 'sending' && before?.state !== 'sending') this.#checkMark(write);
    if (now.state === 'ready' && now.attempts === 0) this.#checkWakeAt(now, owner);
    return isChange;
  }

  /** Only an intent whose sends certainly did nothing is cancelled or edited. */
  #checkChange({ machine, owner, now }: Write, before: IntentRecord): void {
    const { key } = now;
    if ((this.changing.get(`${machine.name} ${key}`) ?? 0) === 0)
      this.#break('only a cancel or an edit changes a body', `${key} changed, and no call changes it`);
    const content = String(before.body['content']);
    const sends = hasTwins(this.#world.plan, content) ? [] : this.#sends.sendsOf(owner, content);
    const hasUncertainSend = sends.some(({ isRefused }) => !isRefused);
    if (!['ready', 'rejected'].includes(before.state) || hasUncertainSend)
      this.#break('only what was not sent is changed', `${key} was ${before.state}, and was changed to ${now.state}`);
    this.#sends.close(owner);
    this.#decided.delete(owner);
  }

  #checkMark({ machine, owner, now }: Write): void {
    const { key, sent } = now;
    if ((this.#sending.get(machine.name) ?? 0) === 0)
      this.#break('a paused sweep sends nothing', `${machine.name} marks ${key}, and no call may send it`);
    const { sendAheadMs, maxLateMs = Infinity } = this.#world.plan;
    const time = this.#timeOf(now);
    if (time === undefined || sendAheadMs === undefined || sent === undefined) return;
    if (sent.at < time - sendAheadMs)
      this.#break('nothing is sent before its time', `${key} is sent ${String(time - sendAheadMs - sent.at)} ms early`);
    // By the service's time, if the sender knew it.
    const lateMs = sent.at + (sent.skewMs ?? 0) - time;
    if (lateMs > maxLateMs && !this.#decided.has(owner))
      this.#break('nothing is sent too late', `${key} is sent ${String(lateMs)} ms late`);
  }

  /** A sweep must find it at its time. */
  #checkWakeAt(record: IntentRecord, owner: string): void {
    const { key, wakeAt, updatedAt, notBefore = 0 } = record;
    const { sendAheadMs = Infinity } = this.#world.plan;
    const dueAt = Math.max(updatedAt, notBefore, (this.#timeOf(record) ?? 0) - sendAheadMs);
    if (wakeAt !== null && wakeAt > dueAt + 1 && !this.#decided.has(owner))
      this.#break('a waiting intent is due at its time', `${key} is due ${String(wakeAt - dueAt)} ms too late`);
  }

  #timeOf({ body }: IntentRecord): number | undefined {
    return typeof body['scheduledFor'] === 'string' ? Date.parse(body['scheduledFor']) : undefined;
  }
}

function isChanged(before: IntentRecord, now: IntentRecord): boolean {
  return before.changed !== now.changed || JSON.stringify(before.body) !== JSON.stringify(now.body);
}
