import fc from 'fast-check';
import { expect } from 'vitest';
import { SocialPublishingError } from '../../src/core/errors.js';
import type { SocialPublishing } from '../../src/client.js';
import type { KnownPlatform, KnownPostStatus } from '../../src/model/known-values.js';
import type { CreatePostBody } from '../../src/posts/posts.js';
import { createEmulator, type Emulator, type RequestFault } from '../../src/emulator/index.js';
import { clientOf, start } from './world.js';

/** A simple model of the service. Each post has unique content, which identifies it. */
export interface Model {
  now: number;
  readonly posts: Map<string, ModelPost>;
  created: number;
  credits: number;
  /** The last planned outcome of targets on each platform. */
  readonly outcomes: Map<KnownPlatform, Outcome>;
  /** The next requests meet this. */
  fault: RequestFault['kind'] | undefined;
  /** The events that must have been delivered, in any order: `content type`. */
  readonly events: string[];
}

interface ModelPost {
  content: string;
  id: string | undefined;
  status: KnownPostStatus;
  at: number | undefined;
  platforms: readonly KnownPlatform[];
}

export interface Real {
  readonly service: Emulator;
  readonly client: SocialPublishing;
  readonly accounts: ReadonlyMap<KnownPlatform, string>;
}

type Outcome = 'success' | 'warning' | 'error';
type Command = fc.AsyncCommand<Model, Real>;

const platforms = ['instagram', 'tiktok', 'bluesky'] as const;
const minute = 60_000;

function finalStatus(model: Model, targets: readonly KnownPlatform[]): 'published' | 'partial' | 'failed' {
  const outcomes = targets.map((platform) => model.outcomes.get(platform) ?? 'success');
  if (outcomes.every((outcome) => outcome === 'error')) return 'failed';
  return outcomes.every((outcome) => outcome === 'success') ? 'published' : 'partial';
}

function publish(model: Model, post: ModelPost): void {
  post.status = finalStatus(model, post.platforms);
  post.at = undefined;
  model.events.push(`${post.content} post.${post.status}`);
}

/** Whether the operation is executed under a fault, and whether its caller gets the result. */
function underFault(fault: RequestFault['kind'] | undefined): { done: boolean; heard: boolean } {
  return {
    done:
      fault === undefined || fault === 'reset_after_commit' || fault === 'truncated_body' || fault === 'invalid_json',
    heard: fault === undefined,
  };
}

/** Makes a call, and compares its outcome with the expected effect of the fault. */
async function call<T>(model: Model, run: () => PromiseLike<T>): Promise<{ done: boolean; reply?: T }> {
  const { done, heard } = underFault(model.fault);
  model.fault = undefined;
  try {
    const reply = await run();
    expect(heard).toBe(true);
    return { done, reply };
  } catch (error) {
    if (!(error instanceof SocialPublishingError)) throw error;
    expect(heard).toBe(false);
    return { done };
  }
}

class Create implements Command {
  readonly way: 'draft' | 'now' | 'later';
  readonly targets: readonly KnownPlatform[];
  readonly minutes: number;

  constructor(way: 'draft' | 'now' | 'later', targets: readonly KnownPlatform[], minutes: number) {
    this.way = way;
    this.targets = targets;
    this.minutes = minutes;
  }

  check = () => true;

  async run(model: Model, { client, accounts }: Real): Promise<void> {
    model.created += 1;
    const content = `post ${String(model.created)}`;
    const at = model.now + this.minutes * minute;
    const common = {
      content,
      platforms: this.targets.map((platform) => ({ platform, accountId: accounts.get(platform) ?? '' })),
    };
    const bodies: Record<typeof this.way, CreatePostBody> = {
      draft: { ...common, saveAsDraft: true },
      now: { ...common, publishNow: true },
      later: { ...common, scheduledFor: new Date(at) },
    };
    const { done, reply } = await call(model, () => client.posts.create(bodies[this.way]));
    if (!done) return;
    const post: ModelPost = { content, id: reply?.postId, status: 'draft', at: undefined, platforms: this.targets };
    model.posts.set(content, post);
    if (this.way === 'now') publish(model, post);
    if (this.way === 'later') {
      Object.assign(post, { status: 'scheduled', at });
      model.events.push(`${content} post.scheduled`);
    }
    if (reply !== undefined) expect(reply.status).toBe(post.status);
  }

  toString = () => `create ${this.way} on ${this.targets.join('+')} in ${String(this.minutes)} min`;
}

class Edit implements Command {
  readonly pick: number;
  readonly targets: readonly KnownPlatform[];

  constructor(pick: number, targets: readonly KnownPlatform[]) {
    this.pick = pick;
    this.targets = targets;
  }

  check = (model: Readonly<Model>) => [...model.posts.values()].some(({ id }) => id !== undefined);

  async run(model: Model, { client, accounts }: Real): Promise<void> {
    const known = [...model.posts.values()].filter(({ id }) => id !== undefined);
    const post = known[this.pick % known.length];
    if (post?.id === undefined) return;
    const { id } = post;
    const body = { platforms: this.targets.map((platform) => ({ platform, accountId: accounts.get(platform) ?? '' })) };
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated by the service, and still an operation
    const edit = () => client.posts.updateScheduled(id, body);
    if (post.status === 'scheduled') {
      const { done } = await call(model, edit);
      if (done) post.platforms = this.targets;
    } else {
      model.fault = undefined;
      await expect(edit()).rejects.toBeInstanceOf(SocialPublishingError);
    }
  }

  toString = () => `edit ${String(this.pick)} to ${this.targets.join('+')}`;
}

export class Advance implements Command {
  readonly minutes: number;

  constructor(minutes: number) {
    this.minutes = minutes;
  }

  check = () => true;

  async run(model: Model, { service }: Real): Promise<void> {
    model.now += this.minutes * minute;
    await service.clock.advance({ minutes: this.minutes });
    for (const post of model.posts.values()) if (post.at !== undefined && post.at <= model.now) publish(model, post);
  }

  toString = () => `advance ${String(this.minutes)} min`;
}

class Say implements Command {
  readonly platform: KnownPlatform;
  readonly outcome: Outcome;

  constructor(platform: KnownPlatform, outcome: Outcome) {
    this.platform = platform;
    this.outcome = outcome;
  }

  check = () => true;

  run(model: Model, { service }: Real): Promise<void> {
    model.outcomes.set(this.platform, this.outcome);
    service.publishing.outcome({
      platform: this.platform,
      ...(this.outcome === 'success' ? {} : { [this.outcome]: 'as told' }),
    });
    return Promise.resolve();
  }

  toString = () => `${this.platform}: ${this.outcome}`;
}

class Fault implements Command {
  readonly kind: RequestFault['kind'];

  constructor(kind: RequestFault['kind']) {
    this.kind = kind;
  }

  check = (model: Readonly<Model>) => model.fault === undefined;

  run(model: Model, { service }: Real): Promise<void> {
    model.fault = this.kind;
    service.faults.add({
      kind: this.kind,
      times: 1,
      ...(this.kind === 'status' ? { status: 503 } : {}),
    } as RequestFault);
    return Promise.resolve();
  }

  toString = () => `fault ${this.kind}`;
}

export class List implements Command {
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  check = (model: Readonly<Model>) => model.fault === undefined;

  async run(model: Model, { client }: Real): Promise<void> {
    const posts = await client.posts.list({ limit: this.limit }).toArray();
    // No post lost, none twice.
    expect(posts.map(({ content }) => content).sort()).toEqual([...model.posts.keys()].sort());
    for (const { content = '', status, platforms = [] } of posts) {
      const post = model.posts.get(content);
      expect({ status, platforms: platforms.map(({ platform }) => platform) }).toEqual({
        status: post?.status,
        platforms: post?.platforms,
      });
    }
    // Lists and totals agree, status by status.
    for (const status of new Set([...model.posts.values()].map((post) => post.status))) {
      const expected = [...model.posts.values()].filter((post) => post.status === status).length;
      const page = await client.posts.list({ status, limit: this.limit });
      expect([page.response.total, page.items.length]).toEqual([expected, Math.min(expected, this.limit)]);
    }
  }

  toString = () => `list by ${String(this.limit)}`;
}

class Measure implements Command {
  readonly paid: 'list' | 'insights' | 'refused insights';

  constructor(paid: 'list' | 'insights' | 'refused insights') {
    this.paid = paid;
  }

  check = () => true;

  async run(model: Model, { client, accounts }: Real): Promise<void> {
    if (this.paid === 'list') {
      const { done } = await call(model, () => client.analytics.listPosts());
      if (done) model.credits += 1;
    } else if (this.paid === 'insights') {
      const { done } = await call(model, () =>
        client.analytics.getInstagramInsights({ accountId: accounts.get('instagram') ?? '' }),
      );
      if (done) model.credits += 1;
    } else {
      model.fault = undefined;
      await expect(client.analytics.getInstagramInsights({ accountId: 'nobody' })).rejects.toBeInstanceOf(
        SocialPublishingError,
      );
    }
  }

  toString = () => `measure ${this.paid}`;
}

const targets = fc.subarray([...platforms], { minLength: 1 });
export const commands = [
  fc
    .tuple(fc.constantFrom('draft', 'now', 'later'), targets, fc.integer({ min: 0, max: 90 }))
    .map((args) => new Create(...args)),
  fc.tuple(fc.nat(), targets).map((args) => new Edit(...args)),
  fc.integer({ min: 0, max: 60 }).map((minutes) => new Advance(minutes)),
  fc
    .tuple(fc.constantFrom(...platforms), fc.constantFrom<Outcome>('success', 'warning', 'error'))
    .map((args) => new Say(...args)),
  fc
    .constantFrom<RequestFault['kind']>(
      'status',
      'reset_before',
      'reset_after_commit',
      'truncated_body',
      'invalid_json',
    )
    .map((kind) => new Fault(kind)),
  fc.integer({ min: 1, max: 7 }).map((limit) => new List(limit)),
  fc.constantFrom('list', 'insights', 'refused insights').map((paid) => new Measure(paid)),
];

export function setUp(): { model: Model; real: Real } {
  const service = createEmulator({ now: () => start, deliver: () => new Response(null, { status: 204 }) });
  const accounts = new Map(platforms.map((platform) => [platform, service.seed.integration({ platform }).id] as const));
  service.seed.subscription({ webhook: { url: 'https://app.test/' } });
  return {
    model: { now: start, posts: new Map(), created: 0, credits: 0, outcomes: new Map(), fault: undefined, events: [] },
    real: { service, client: clientOf(service.fetch), accounts },
  };
}
