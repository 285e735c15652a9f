/** What processes send, and how often: a create that can have reached the service is never sent again. */
import type { ReconcileResult } from '../../src/resources/post-shapes.js';
import type { Break, Process, Sent, Surroundings } from './parts.js';

/** A process wrote that it begins to send an intent. */
interface Mark {
  readonly key: string;
  readonly machine: Process;
  readonly life: number;
  /** The client repeats a create that the service refused. */
  readonly sends: Sent[];
}

/** Intents with the same content. */
interface Group {
  readonly marks: Mark[];
  /** How many creates may be uncertain: one for each intent, and one for each decision to send it again. */
  allowed: number;
  readonly marked: Set<string>;
}

/** A post as the service created it. */
interface CreatedPost {
  readonly content: string;
  readonly sent: Sent;
  readonly at: number;
}

/** Contents of creates that no publisher sends. */
export const directContent = 'Direct ';

export class SendLaws {
  readonly posts = new Map<string, CreatedPost>();
  readonly #world: Surroundings;
  readonly #break: Break;
  readonly #groups = new Map<string, Group>();
  /** Until when a process must send nothing, by its own monotonic clock. */
  readonly #heldUntil = new Map<Process, { readonly life: number; readonly until: number }>();

  constructor(world: Surroundings, breaks: Break) {
    this.#world = world;
    this.#break = breaks;
  }

  group(content: string): Group {
    const known = this.#groups.get(content);
    if (known !== undefined) return known;
    const group: Group = { marks: [], allowed: 0, marked: new Set() };
    this.#groups.set(content, group);
    return group;
  }

  marked(machine: Process, key: string, content: string): void {
    const group = this.group(content);
    if (!group.marked.has(key)) group.allowed += 1;
    group.marked.add(key);
    group.marks.push({ key, machine, life: machine.life, sends: [] });
  }

  /** An operator decided, or the intent was removed: it may be sent once more. */
  mayBeSentAgain(content: string): void {
    this.group(content).allowed += 1;
  }

  /** The sends of the last mark of an intent. */
  lastSends(key: string, content: string): readonly Sent[] {
    return this.group(content).marks.findLast((mark) => mark.key === key)?.sends ?? [];
  }

  sends(machine: Process, { method, path, body }: Pick<Sent, 'method' | 'path' | 'body'>): Sent {
    const isCreate = method === 'POST' && path === '/v1/posts/';
    const content = isCreate ? (JSON.parse(body ?? '{}') as { content?: string }).content : undefined;
    const { time } = this.#world.scheduler;
    const sent: Sent = {
      ...{ machine, life: machine.life, method, path, body, content, at: time },
      ...{ executed: 0, isUnderWay: true, isRefused: false, isLeft: false },
    };
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

  #checkCreate(sent: Sent, content: string): void {
    const { machine } = sent;
    const group = this.group(content);
    const mark = group.marks.find(
      (one) => one.machine === machine && one.life === machine.life && one.sends.every(({ isRefused }) => isRefused),
    );
    if (mark === undefined) {
      this.#break('nothing is sent without a mark', `${machine.name} sends ${content} without a mark of its own`);
      return;
    }
    mark.sends.push(sent);
    if (this.#world.plan.onMissing === 'resend') return;
    const uncertain = group.marks.flatMap(({ sends }) => sends).filter(({ isRefused }) => !isRefused).length;
    if (uncertain > group.allowed) {
      this.#break(
        'at most one send can have reached the service',
        `${machine.name} sends ${content} again: ${String(uncertain)} sends for ${String(group.allowed)} allowed`,
      );
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
    const mayBeLate = this.#world.plan.steps.some(
      (step) => step.type === 'fault' && ['listing lag', 'requests are late'].includes(step.kind),
    );
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
