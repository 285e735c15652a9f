/** The calls of users and operators, each to one process. */
import type { PublishProgress } from '../../src/publisher/publish-many.js';
import type { Intent, IntentRecord } from '../../src/publisher/intents/intent-record.js';
import type { CreatePostBody, PostTargetInput } from '../../src/posts/post-shapes.js';
import { IntentConflictError, InvalidRequestError, SocialPublishingError, outcomeOf } from '../../src/core/errors.js';
import { intentName } from './intent-laws.js';
import { contentIn, type KeyPlan } from './plan.js';
import { hour, minute, start, type Operation } from './steps.js';
import { startWorker, type Machine } from './machine.js';
import { directContent } from './send-laws.js';
import { StoreDownError } from './store.js';
import type { World } from './world.js';

/** The body of another user's mistake. */
const conflictingContent = 'Something else';

/** The content of a create that `createOnce` makes. */
const onceContent = `${directContent}once`;

interface Call {
  readonly name: string;
  readonly machine: Machine;
  readonly life: number;
  hasEnded: boolean;
}

export class Users {
  readonly #world: World;
  readonly #calls: Call[] = [];
  /** The credits that calls of each client have cost. */
  readonly #credits = new Map<object, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Calls a process, if it is up, and checks how the call ends.
   * @param intent the intent of a call whose error must not claim too much
   */
  call(machine: Machine, name: string, work: () => Promise<unknown>, intent?: string): void {
    const { scheduler, laws } = this.#world;
    scheduler.plan(machine, 0, `${machine.name}: ${name}`, () => {
      if (!machine.isUp) return;
      const call: Call = { name, machine, life: machine.life, hasEnded: false };
      const startedAt = scheduler.time;
      this.#calls.push(call);
      const stop = name === 'paused sweep' ? undefined : laws.intents.changes.maySend(machine);
      const end = (result: string) => {
        call.hasEnded = true;
        // A publishMany that was aborted goes on in the background.
        if (name !== 'publishMany') stop?.();
        scheduler.log.push(`${String(scheduler.time)} ${machine.name}: ${name} ${result}`);
      };
      work().then(
        () => {
          end('ends');
        },
        (error: unknown) => {
          laws.reported(error);
          if (intent !== undefined) laws.intents.checkClaim(intent, error, startedAt);
          const isAbort = error instanceof DOMException && error.name === 'AbortError';
          const known = isAbort || error instanceof SocialPublishingError || error instanceof StoreDownError;
          if (!known) laws.break('calls reject with known errors', `${name} rejected with ${String(error)}`);
          end(`rejects with ${error instanceof Error ? error.name : 'no error'}`);
        },
      );
    });
  }

  perform(operation: Operation): void {
    const machine = this.#machine(operation.process);
    const { what, key: index, detail } = operation;
    const key = this.#world.plan.keys[index % this.#world.plan.keys.length];
    if (key === undefined) return;
    const name = `${what} ${key.key}`;
    const own = intentName(machine.scope, key.key);
    switch (what) {
      case 'publish':
        this.call(machine, name, () => this.#publish(machine, key), own);
        return;
      case 'enqueue':
        this.call(machine, name, () => machine.memory.publisher.enqueue(key.key, this.#bodyOf(machine, key)));
        return;
      case 'resume':
        this.call(machine, name, () => machine.memory.publisher.resume(key.key), own);
        return;
      case 'sweep':
        this.call(machine, what, () => machine.memory.publisher.sweep({ limit: detail % 4 === 0 ? 1 : 100 }));
        return;
      case 'resolve':
        this.#resolve(machine, key, detail);
        return;
      case 'prune':
        this.call(machine, what, () =>
          machine.memory.publisher.prune({ olderThan: new Date(machine.now() - (detail % 2) * hour) }),
        );
        return;
      case 'cancel':
        this.call(machine, name, () => this.#cancel(machine, key));
        return;
      case 'edit intent':
        this.call(machine, name, () => this.#editIntent(machine, key, detail));
        return;
      case 'paused sweep':
        this.call(machine, what, () =>
          machine.memory.publisher.sweep({ send: false, limit: detail % 2 === 0 ? 1 : 100 }),
        );
        return;
      case 'catchUp':
        this.catchUp(machine);
        return;
      case 'replay':
        this.replay(machine);
        return;
      case 'edit':
        this.#edit(detail);
        return;
      case 'create':
        this.#create(machine, key, detail);
        return;
      case 'retryFailed':
        this.call(machine, name, () => machine.memory.publisher.retryFailed(key.key, `${key.key}-retry`));
        return;
      case 'publishMany':
        this.call(machine, what, () => this.#publishMany(machine));
        return;
      case 'list':
        this.call(machine, what, () =>
          drain(machine.memory.publisher.list(detail % 2 === 0 ? {} : { state: 'in_doubt' })),
        );
        return;
      case 'conflict':
        this.call(machine, name, () => this.#conflict(machine, key));
        return;
      case 'analytics':
        this.call(machine, what, () => this.#analytics(machine));
        return;
      case 'restart the inbox':
        this.call(machine, what, () => this.#restartInbox(machine));
        return;
      case 'createOnce':
        this.call(machine, name, () => this.#createOnce(machine, key));
        return;
      case 'resolveAll':
        this.#resolveAll(machine, detail);
    }
  }

  catchUp(machine: Machine): void {
    this.call(machine, 'catchUp', () =>
      machine.memory.inbox.catchUp({
        client: machine.memory.client.withOptions({}),
        since: new Date(start - 25 * hour),
      }),
    );
  }

  /** Replays every dead event. */
  replay(machine: Machine): void {
    this.call(machine, 'replay', async () => {
      const { inbox } = machine.memory;
      const { replaying } = this.#world.laws.events;
      for await (const { id } of inbox.dead()) {
        replaying.add(id);
        await inbox.replay(id);
      }
    });
  }

  #machine(index: number): Machine {
    const { machines } = this.#world;
    return machines[index % machines.length] as Machine; // Every history has one.
  }

  #bodyOf({ scope }: Machine, key: KeyPlan): CreatePostBody {
    const { mode, inMs } = key;
    const content = contentIn(scope, key);
    const [first = '', other = ''] = this.#world.service.accountIds;
    const one: PostTargetInput = { platform: 'bluesky', accountId: first };
    const platforms: PostTargetInput[] = key.content.endsWith('1')
      ? [one, { platform: 'linkedin', accountId: other }]
      : [one];
    switch (mode) {
      case 'now':
        return { content, platforms, publishNow: true };
      case 'later':
        return { content, platforms, scheduledFor: new Date(this.#world.service.epoch + inMs) };
      case 'draft':
        return { content, platforms, saveAsDraft: true };
    }
  }

  /** A publish returns the intent of its body, or reports that the key has another one. */
  async #publish(machine: Machine, key: KeyPlan): Promise<void> {
    const body = this.#bodyOf(machine, key);
    const intent = await machine.memory.publisher.publish(key.key, body);
    this.#checkContent(`publish of ${key.key}`, intent, body);
  }

  async #cancel(machine: Machine, key: KeyPlan): Promise<void> {
    const isDone = ({ changed }: Pick<IntentRecord, 'changed'>) => changed === 'cancel';
    await this.#changeTwice(machine, key, isDone, async () => {
      const intent = await machine.memory.publisher.cancel(key.key);
      if (intent.state !== 'abandoned')
        this.#world.laws.break('a cancel abandons', `cancel of ${key.key} returned ${intent.state}`);
    });
  }

  /** A user changes the content, and perhaps the time, of an intent that waits. */
  async #editIntent(machine: Machine, key: KeyPlan, detail: number): Promise<void> {
    const { epoch } = this.#world.service;
    const old = this.#bodyOf(machine, key);
    const content = `${intentName(machine.scope, key.key)} edited ${String(detail % 2)}`;
    const inMs = [minute, hour, 3 * hour, 5 * hour][(detail >> 4) % 4] ?? 0;
    const { platforms } = old;
    const body: CreatePostBody =
      detail % 3 === 0 && platforms !== undefined
        ? { content, platforms, scheduledFor: new Date(epoch + inMs) }
        : { ...old, content };
    const isDone = (record: IntentRecord) => record.changed === 'edit' && record.body['content'] === content;
    await this.#changeTwice(machine, key, isDone, async () => {
      const intent = await machine.memory.publisher.edit(key.key, body);
      this.#checkContent(`edit of ${key.key}`, intent, body);
    });
  }

  /** The same call again resolves to the same intent, unless another call changed or pruned it in between. */
  async #changeTwice(
    machine: Machine,
    { key }: KeyPlan,
    isDone: (record: IntentRecord) => boolean,
    change: () => Promise<void>,
  ): Promise<void> {
    const { laws } = this.#world;
    const { changing } = laws.intents.changes;
    const name = intentName(machine.scope, key);
    const token = `${machine.name} ${name}`;
    const state = () => {
      const { record, life } = laws.intents.records.get(name) ?? {};
      return record !== undefined && isDone(record) ? JSON.stringify([life, record.state, record.body]) : undefined;
    };
    changing.set(token, (changing.get(token) ?? 0) + 1);
    try {
      await change();
      const before = state();
      try {
        await change();
      } catch (error) {
        if (error instanceof InvalidRequestError && before !== undefined && before === state())
          laws.break('the same change again is accepted', `the second change of ${name} rejected: ${error.message}`);
        throw error;
      }
    } finally {
      changing.set(token, (changing.get(token) ?? 0) - 1);
    }
  }

  #checkContent(call: string, { body }: Intent, { content }: CreatePostBody): void {
    if (body.content === content) return;
    this.#world.laws.break('a call returns the intent of its body', `${call} returned ${String(body.content)}`);
  }

  /** An operator decides, rightly or wrongly. */
  #resolve(machine: Machine, keyPlan: KeyPlan, detail: number): void {
    const { key } = keyPlan;
    const content = contentIn(machine.scope, keyPlan);
    const { sendLaws } = this.#world.laws;
    const { deciding } = this.#world.laws.intents;
    const all = [...sendLaws.posts];
    const own = all.filter(([, post]) => post.content === content);
    const [postId] = (detail % 5 === 0 ? all : own)[detail % 3] ?? [];
    const as = (['published', 'not_sent', 'abandoned', 'not_sent', 'abandoned'] as const)[(detail >> 8) % 5];
    const resolution = as === 'published' ? { as, postId: postId ?? 'post_unknown' } : { as: as ?? 'abandoned' };
    if ('postId' in resolution) sendLaws.named(resolution.postId, content);
    const token = `${machine.name} ${intentName(machine.scope, key)}`;
    this.call(machine, `resolve ${key} as ${resolution.as}`, async () => {
      deciding.set(token, (deciding.get(token) ?? 0) + 1);
      try {
        await machine.memory.publisher.resolve(key, resolution);
      } finally {
        deciding.set(token, (deciding.get(token) ?? 0) - 1);
      }
    });
  }

  /** A user changes a scheduled post at the service. */
  #edit(detail: number): void {
    const { posts } = this.#world.laws.sendLaws;
    const [postId] = [...posts.keys()].slice(detail % Math.max(1, posts.size));
    if (postId === undefined) return;
    const { service, scheduler } = this.#world;
    const body =
      detail % 2 === 0
        ? { content: 'Edited' }
        : { scheduledFor: new Date(service.now() + (detail % 60) * minute).toISOString() };
    scheduler.plan(this.#world, 0, `a user edits ${postId}`, () => {
      void service.aside('PUT', `/v1/posts/scheduled/${postId}`, body);
    });
  }

  /** A create without a publisher, whose outcome `reconcile` finds. */
  #create(machine: Machine, key: KeyPlan, detail: number): void {
    const content = `${directContent}${String(detail)}`;
    const body = { ...this.#bodyOf(machine, key), content };
    this.call(machine, 'create', async () => {
      const { client } = machine.memory;
      const sentAt = new Date(machine.now());
      const { signal } = machine.memory.abort;
      try {
        await client.posts.create(body, { signal });
      } catch (error) {
        this.#world.laws.reported(error);
        if (outcomeOf(error) !== 'unknown') throw error;
        // A process that did not see the error passes the body.
        const isLost = detail % 2 === 0;
        const found = await client.posts.reconcile(isLost ? { body, sentAt } : error);
        this.#world.laws.sendLaws.reconciled(content, found);
      }
    });
  }

  /** Another body under the same key is refused, and nothing is sent. */
  async #conflict(machine: Machine, key: KeyPlan): Promise<void> {
    const { publisher } = machine.memory;
    if ((await publisher.get(key.key)) === undefined) return;
    try {
      await publisher.publish(key.key, { ...this.#bodyOf(machine, key), content: conflictingContent });
    } catch (error) {
      if (!(error instanceof IntentConflictError)) throw error;
    }
  }

  /** A call that costs a credit, unless it was not sent. */
  async #analytics(machine: Machine): Promise<void> {
    const { client } = machine.memory;
    try {
      await client.analytics.getPost('post_1');
    } catch (error) {
      if (!(error instanceof SocialPublishingError)) throw error;
      this.#world.laws.reported(error);
      if (error.outcome === 'not_sent') return;
    }
    this.#credits.set(client, (this.#credits.get(client) ?? 0) + 1);
  }

  /** An operator says that no intent in doubt was sent, or abandons them. */
  #resolveAll(machine: Machine, detail: number): void {
    const { deciding } = this.#world.laws.intents;
    const keys = this.#world.plan.keys.flatMap(({ key }) => [key, `${key}-retry`]);
    const tokens = keys.map((key) => `${machine.name} ${intentName(machine.scope, key)}`);
    const as = detail % 2 === 0 ? 'not_sent' : 'abandoned';
    this.call(machine, `resolveAll as ${as}`, async () => {
      for (const token of tokens) deciding.set(token, (deciding.get(token) ?? 0) + 1);
      try {
        await drain(machine.memory.publisher.resolveAll({ sentBefore: new Date(machine.now()) }, { as }));
      } finally {
        for (const token of tokens) deciding.set(token, (deciding.get(token) ?? 0) - 1);
      }
    });
  }

  #createOnce(machine: Machine, key: KeyPlan): Promise<unknown> {
    const { once, client } = machine.memory;
    const body = { ...this.#bodyOf(machine, key), content: onceContent };
    return once(key.key, body, (checked) => client.posts.create(checked));
  }

  async #restartInbox(machine: Machine): Promise<void> {
    const { memory } = machine;
    const { worker } = memory;
    memory.worker = startWorker(memory.inbox, this.#world.plan);
    await worker.stop();
  }

  async #publishMany(machine: Machine): Promise<void> {
    const items = this.#world.plan.keys.map((key) => ({ key: key.key, body: this.#bodyOf(machine, key) }));
    let reported = 0;
    const onProgress = (progress: PublishProgress) => {
      const { total: _, waitingMs: _waitingMs, waitingSince: _since, ...counts } = progress;
      reported = Object.values(counts).reduce((sum, count) => sum + count, 0);
    };
    const { signal } = machine.memory.abort;
    try {
      await drain(machine.memory.publisher.publishMany(items, { concurrency: 2, onProgress, signal }));
    } catch (error) {
      if (error === signal.reason) return;
      throw error;
    }
    if (reported !== items.length) {
      this.#world.laws.break('progress adds up', `publishMany reported ${String(reported)} of ${String(items.length)}`);
    }
  }

  /** Every call of a process that did not crash has ended, and credits add up. */
  atRest(): void {
    const made = [...this.#world.laws.sendLaws.posts.values()].filter(({ content }) => content === onceContent);
    if (made.length > 1) this.#world.laws.break('createOnce calls once', `it called ${String(made.length)} times`);
    for (const machine of this.#world.machines) {
      const { client } = machine.memory;
      const spent = this.#credits.get(client) ?? 0;
      if (client.creditsUsed !== spent) {
        const counted = `${machine.name} counts ${String(client.creditsUsed)} credits, not ${String(spent)}`;
        this.#world.laws.break('credits add up', counted);
      }
    }
    for (const { name, machine, life, hasEnded } of this.#calls) {
      if (!hasEnded && machine.life === life) {
        this.#world.laws.break('every call ends', `${machine.name}: ${name} has not ended`);
      }
    }
  }
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}
