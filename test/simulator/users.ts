/** What users and operators do: they call one process. */
import type { CreatePostBody, PostTargetInput } from '../../src/resources/post-shapes.js';
import { SocialPublishingError } from '../../src/core/errors.js';
import { hour, minute, start, type KeyPlan, type Operation } from './plan.js';
import type { Machine } from './machine.js';
import { directContent } from './send-laws.js';
import { StoreDownError } from './store.js';
import type { World } from './world.js';

/** A call that was begun. */
interface Call {
  readonly name: string;
  readonly machine: Machine;
  readonly life: number;
  hasEnded: boolean;
}

export class Users {
  readonly #world: World;
  readonly #calls: Call[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** Calls a process, if it is up, and checks how the call ends. */
  call(machine: Machine, name: string, work: () => Promise<unknown>): void {
    const { scheduler, laws } = this.#world;
    scheduler.plan(machine, 0, `${machine.name}: ${name}`, () => {
      if (!machine.isUp) return;
      const call: Call = { name, machine, life: machine.life, hasEnded: false };
      this.#calls.push(call);
      const end = (result: string) => {
        call.hasEnded = true;
        scheduler.log.push(`${String(scheduler.time)} ${machine.name}: ${name} ${result}`);
      };
      work().then(
        () => {
          end('ends');
        },
        (error: unknown) => {
          laws.reported(error);
          const known = error instanceof SocialPublishingError || error instanceof StoreDownError;
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
    switch (what) {
      case 'publish':
        this.call(machine, name, () => machine.memory.publisher.publish(key.key, this.#bodyOf(key)));
        return;
      case 'enqueue':
        this.call(machine, name, () => machine.memory.publisher.enqueue(key.key, this.#bodyOf(key)));
        return;
      case 'resume':
        this.call(machine, name, () => machine.memory.publisher.resume(key.key));
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
        this.call(machine, what, () => drain(machine.memory.publisher.list()));
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

  #bodyOf({ content, mode, inMs }: KeyPlan): CreatePostBody {
    const [first = '', other = ''] = this.#world.service.accountIds;
    const one: PostTargetInput = { platform: 'bluesky', accountId: first };
    const platforms: PostTargetInput[] = content.endsWith('1')
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

  /** An operator decides, right or wrong. */
  #resolve(machine: Machine, { key, content }: KeyPlan, detail: number): void {
    const { posts } = this.#world.laws.sendLaws;
    const { deciding } = this.#world.laws.intents;
    const all = [...posts];
    const own = all.filter(([, post]) => post.content === content);
    const [postId] = (detail % 5 === 0 ? all : own)[detail % 3] ?? [];
    const as = (['published', 'not_sent', 'abandoned'] as const)[detail % 7 === 0 ? 2 : detail % 2];
    const resolution = as === 'published' ? { as, postId: postId ?? 'post_unknown' } : { as: as ?? 'abandoned' };
    const token = `${machine.name} ${key}`;
    this.call(machine, `resolve ${key} as ${resolution.as}`, async () => {
      deciding.add(token);
      try {
        await machine.memory.publisher.resolve(key, resolution);
      } finally {
        deciding.delete(token);
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
    const body = { ...this.#bodyOf(key), content };
    this.call(machine, 'create', async () => {
      const { client } = machine.memory;
      try {
        await client.posts.create(body);
      } catch (error) {
        this.#world.laws.reported(error);
        if (!(error instanceof SocialPublishingError) || error.outcome !== 'unknown') throw error;
        const found = await client.posts.reconcile(error);
        this.#world.laws.sendLaws.reconciled(content, found);
      }
    });
  }

  async #publishMany(machine: Machine): Promise<void> {
    const items = this.#world.plan.keys.map((key) => ({ key: key.key, body: this.#bodyOf(key) }));
    await drain(machine.memory.publisher.publishMany(items, { concurrency: 2 }));
  }

  /** Every call of a process that did not crash has ended. */
  atRest(): void {
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
