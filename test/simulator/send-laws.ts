/** The creates that processes send: a create that can have reached the service is never sent again. */
import type { ReconcileResult } from '../../src/posts/post-shapes.js';
import { hasTwins } from './plan.js';
import type { Break, Process, Sent, Surroundings } from './parts.js';

/** A mark: a process wrote that it will send an intent. */
interface Mark {
  /** The key with its life: a pruned key is new again. */
  readonly owner: string;
  readonly machine: Process;
  readonly life: number;
  /** The client repeats a create that the service refused. */
  readonly sends: Sent[];
  readonly at: number;
  /** Its process had read a right `Date` in the last minutes. */
  readonly knowsTime: boolean;
  /** Its intent was cancelled or edited since. */
  isClosed: boolean;
}

/** Intents with the same content. */
interface Group {
  readonly marks: Mark[];
  /** How many creates may be uncertain: one for each intent, and one for each decision to send it again. */
  allowed: number;
  readonly marked: Set<string>;
  /** By owner: how many sends can be uncertain without a search. Each decision of an operator allows one more send. */
  readonly free: Map<string, number>;
}

export interface CreatedPost {
  readonly content: string;
  readonly sent: Sent;
  readonly at: number;
}

/** Clocks differ a little, and a `Date` counts whole seconds. */
export const toleranceMs = 7_000;
/** Posts are listed after this time at the latest, and a search was made since. */
const longestLagMs = 15 * 60_000;

/** A publisher uses a `Date` for 10 minutes of its own clock. */
const rememberedMs = 9 * 60_000;

/** Contents of creates that no publisher sends. */
export const directContent = 'Direct ';

export class SendLaws {
  readonly posts = new Map<string, CreatedPost>();
  readonly #world: Surroundings;
  readonly #break: Break;
  readonly #groups = new Map<string, Group>();
  /** The requests in flight. */
  readonly #underWay = new Set<Sent>();
  readonly #sentAt = new Map<Process, { readonly life: number; readonly times: number[] }>();
  /** Posts that an operator named for an intent that did not create them: its own intent cannot claim them. */
  readonly #misnamed = new Set<string>();
  /** When a publisher read a right `Date` last. */
  readonly #knewTimeAt = new Map<Process, { readonly life: number; readonly at: number }>();
  /** Until when a process must send nothing, by its own monotonic clock. */
  readonly #heldUntil = new Map<Process, { readonly life: number; readonly until: number }>();

  constructor(world: Surroundings, breaks: Break) {
    this.#world = world;
    this.#break = breaks;
  }

  group(content: string): Group {
    const known = this.#groups.get(content);
    if (known !== undefined) return known;
    const group: Group = { marks: [], allowed: 0, marked: new Set(), free: new Map() };
    this.#groups.set(content, group);
    return group;
  }

  marked(machine: Process, owner: string, content: string): void {
    const group = this.group(content);
    if (!group.marked.has(owner)) group.allowed += 1;
    group.marked.add(owner);
    const at = this.#world.scheduler.time;
    const known = this.#knewTimeAt.get(machine);
    const knowsTime = known?.life === machine.life && at - known.at < rememberedMs;
    group.marks.push({ owner, machine, life: machine.life, sends: [], at, knowsTime, isClosed: false });
  }

  /** The publisher learns from the replies to its creates, whatever older replies caches give it. */
  showedTime({ machine, life, content, isLeft }: Sent, headers: Readonly<Record<string, string>>): void {
    const { scheduler, service } = this.#world;
    if (content === undefined || content.startsWith(directContent) || isLeft || headers['age'] !== undefined) return;
    const date = Date.parse(headers['date'] ?? '');
    if (Math.abs(service.now() - date) < 2_000) this.#knewTimeAt.set(machine, { life, at: scheduler.time });
  }

  /** Whether the processes that marked an intent knew the time of the service. */
  knewTime(owner: string, content: string): boolean {
    return this.group(content).marks.every((mark) => mark.owner !== owner || mark.knowsTime);
  }

  /** An operator decided that an intent may be sent once more. */
  mayBeSentAgain(owner: string, content: string): void {
    const group = this.group(content);
    group.allowed += 1;
    const own = uncertainSends(group.marks.filter((mark) => mark.owner === owner));
    // Its sender can still wait to repeat a create that the service refused.
    group.free.set(owner, Math.max(own.length, 1) + 1);
  }

  /** An operator allowed another send: a post of an earlier send is older than it. */
  wasAllowedAgain(owner: string, content: string): boolean {
    return this.group(content).free.has(owner);
  }

  /** An operator says that a post was created by an intent with this content. */
  named(postId: string, content: string): void {
    if (this.posts.get(postId)?.content !== content) this.#misnamed.add(postId);
  }

  /** When an intent was marked first. */
  markedAt(owner: string, content: string): number | undefined {
    return this.group(content).marks.find((mark) => mark.owner === owner)?.at;
  }

  /** When an intent was marked last. */
  lastMarkedAt(owner: string, content: string): number | undefined {
    return this.group(content).marks.findLast((mark) => mark.owner === owner)?.at;
  }

  /** An intent is cancelled or edited: none of its sends may reach the service. */
  close(owner: string): void {
    for (const { marks } of this.#groups.values()) {
      for (const mark of marks) if (mark.owner === owner) mark.isClosed = true;
    }
  }

  /** An intent that was cancelled or edited has no post of before. */
  atRest(): void {
    for (const [content, { marks }] of this.#groups) {
      if (hasTwins(this.#world.plan, content)) continue;
      const mark = marks.find(({ isClosed, sends }) => isClosed && sends.some(({ executed }) => executed > 0));
      if (mark !== undefined)
        this.#break('what was cancelled or edited has no post', `${mark.owner} was changed, and ${content} is posted`);
    }
  }

  /** All sends of an intent. */
  sendsOf(owner: string, content: string): readonly Sent[] {
    return this.group(content).marks.flatMap((mark) => (mark.owner === owner ? mark.sends : []));
  }

  /** The sends of the last mark of an intent. */
  lastSends(owner: string, content: string): readonly Sent[] {
    return this.group(content).marks.findLast((mark) => mark.owner === owner)?.sends ?? [];
  }

  sends(machine: Process, { method, path, body }: Pick<Sent, 'method' | 'path' | 'body'>): Sent {
    const isCreate = method === 'POST' && path === '/v1/posts/';
    const content = isCreate ? (JSON.parse(body ?? '{}') as { content?: string }).content : undefined;
    const { time } = this.#world.scheduler;
    const sent: Sent = {
      ...{ machine, life: machine.life, method, path, body, content, at: time },
      ...{ executed: 0, isUnderWay: true, isRefused: false, isLeft: false },
    };
    this.#checkLimits(sent);
    const held = this.#heldUntil.get(machine);
    if (held?.life === machine.life && machine.monotonic() < held.until - 1) {
      this.#break(
        'the pace keeps Retry-After',
        `${machine.name} sends ${method} ${path} ${String(Math.round(held.until - machine.monotonic()))} ms too early`,
      );
    }
    if (content !== undefined && !content.startsWith(directContent)) this.#checkCreate(sent, content);
    return sent;
  }

  /** The client keeps its own limits. */
  #checkLimits(sent: Sent): void {
    const { machine, life } = sent;
    const { concurrency = Infinity, perSecond = Infinity } = this.#world.plan.limits;
    this.#underWay.add(sent);
    const underWay = [...this.#underWay].filter((one) => one.machine === machine && one.life === life).length;
    if (underWay > concurrency)
      this.#break('the client keeps its limits', `${String(underWay)} requests are under way`);
    const known = this.#sentAt.get(machine);
    const now = machine.monotonic();
    const isRecent = (time: number) => time > now - 1_000 && time <= now; // The clock of a new process starts at 0.
    const times = [...(known?.life === life ? known.times : []).filter(isRecent), now];
    this.#sentAt.set(machine, { life, times });
    if (times.length > perSecond) {
      this.#break('the client keeps its limits', `${String(times.length)} requests in a second`);
    }
  }

  /** A write, or a call that costs a credit, has a form that the runtime does not repeat. A GET on Node cannot have one. */
  repeated({ machine, method, path }: Sent): void {
    const mayBeRepeated = method === 'GET' && (!path.includes('/analytics') || machine.runtime.failure === 'refused');
    if (!mayBeRepeated)
      this.#break('one attempt is one request', `the runtime of ${machine.name} sends ${method} ${path} twice`);
  }

  ended(sent: Sent): void {
    this.#underWay.delete(sent);
  }

  #checkCreate(sent: Sent, content: string): void {
    const { machine } = sent;
    const group = this.group(content);
    const mark = group.marks.findLast(
      (one) => one.machine === machine && one.life === machine.life && one.sends.every(({ isRefused }) => isRefused),
    );
    if (mark === undefined) {
      this.#break('nothing is sent without a mark', `${machine.name} sends ${content} without a mark of its own`);
      return;
    }
    if (mark.isClosed && !hasTwins(this.#world.plan, content))
      this.#break('what was cancelled or edited has no post', `${machine.name} sends ${content} of ${mark.owner}`);
    const before = uncertainSends(group.marks);
    const own = uncertainSends(group.marks.filter(({ owner }) => owner === mark.owner));
    mark.sends.push(sent);
    const uncertain = before.length + 1;
    if (this.#world.plan.onMissing === 'resend') {
      if (own.length >= (group.free.get(mark.owner) ?? 1)) this.#checkResend(sent, content, own);
    } else if (uncertain > group.allowed) {
      this.#break(
        'at most one send can have reached the service',
        `${machine.name} sends ${content} again: ${String(uncertain)} sends for ${String(group.allowed)} allowed`,
      );
    }
  }

  /**
   * A resend waits for `settleMs`, and for a search that finds no post. The post of a former life of a key is another post:
   * after `prune`, the key is new again.
   */
  #checkResend({ machine }: Sent, content: string, before: readonly Sent[]): void {
    const { plan, scheduler, hasGoodClocks, isPunctual } = this.#world;
    if (!isPunctual || hasTwins(plan, content)) return;
    const sinceMs = scheduler.time - Math.max(...before.map(({ at }) => at));
    if (hasGoodClocks && sinceMs < plan.settleMs - toleranceMs) {
      this.#break('a resend waits', `${machine.name} sends ${content} again after ${String(sinceMs)} ms`);
    }
    // A search reads 24 hours back, whatever the clocks show.
    const listed = [...this.posts].find(
      ([postId, post]) =>
        post.content === content &&
        before.includes(post.sent) &&
        post.at < scheduler.time - longestLagMs &&
        !this.#misnamed.has(postId),
    );
    if (listed !== undefined) {
      this.#break('a resend waits', `${machine.name} sends ${content} again, and ${listed[0]} is listed`);
    }
  }

  executed(sent: Sent, postId: string): void {
    this.posts.set(postId, { content: sent.content ?? '', sent, at: this.#world.scheduler.time });
  }

  /** `reconcile` answered for a create whose content is like no other. */
  reconciled(content: string, found: ReconcileResult): void {
    if (found.status === 'created' && this.posts.get(found.post.postId)?.content !== content) {
      this.#break('reconcile finds the own post', `reconcile of ${content} found ${found.post.postId}`);
    }
    const own = [...this.posts].filter(([, post]) => post.content === content);
    const mayBeLate = this.#world.faults.has('listing lag', 'requests are late');
    if (found.status === 'not_found' && own.length > 0 && this.#world.hasGoodClocks && !mayBeLate) {
      this.#break('reconcile finds the own post', `reconcile of ${content} found nothing, not ${String(own[0]?.[0])}`);
    }
  }

  answered(sent: Sent, status: number, headers: Readonly<Record<string, string>>): void {
    const seconds = Number(headers['retry-after']);
    if (status !== 429 || sent.isLeft || !(seconds > 0)) return;
    const { machine, life } = sent;
    const before = this.#heldUntil.get(machine);
    const until = machine.monotonic() + seconds * 1_000;
    this.#heldUntil.set(machine, { life, until: before?.life === life ? Math.max(before.until, until) : until });
  }
}

function uncertainSends(marks: readonly Mark[]): Sent[] {
  return marks.flatMap(({ sends }) => sends).filter(({ isRefused }) => !isRefused);
}
