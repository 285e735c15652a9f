/** A caller's code. A line under `@ts-expect-error` that compiles is an error too. */
export const caller = `
import { SocialPublishing, ApiError, SocialPublishingError, isKnownPlatform, responseOf, targetResults } from 'social-publishing';
import type { CreatePostBody, KnownPlatform, Post, WebhookEvent } from 'social-publishing';
import { verifyWebhook, createWebhookReceiver, ConfigurationError } from 'social-publishing/webhooks';
import { PostSchema } from 'social-publishing/schemas';
import { createPublisher, MemoryDurableStore, IntentConflictError } from 'social-publishing/publisher';
import type { Intent, Publisher } from 'social-publishing/publisher';
import { createEmulator } from 'social-publishing/emulator';
import { serveEmulator } from 'social-publishing/emulator/node';
import { SqliteStore, type DurableStore } from 'social-publishing/stores/sqlite';
import { PostgresStore, type PgClient } from 'social-publishing/stores/postgres';
import { RedisStore, type RedisStoreCommand } from 'social-publishing/stores/redis';
import { testDurableStore } from 'social-publishing/stores/testing';
import { logHooks, type ClientHooks, type EndInfo } from 'social-publishing';
import { otelHooks } from 'social-publishing/otel';
import { trace } from '@opentelemetry/api';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';

export async function calls(client: SocialPublishing): Promise<void> {
  const body: CreatePostBody = { content: 'Hi', publishNow: true, platforms: [{ platform: 'bluesky', accountId: 'a' }] };
  const created = await client.posts.create(body);
  const id: string = created.postId;
  await client.posts.create({ content: 'Hi', scheduledFor: new Date(), platforms: body.platforms });
  await client.posts.create({ saveAsDraft: true });
  // @ts-expect-error a draft is not published at once
  await client.posts.create({ saveAsDraft: true, publishNow: true });
  // @ts-expect-error a create is a draft, published now, or scheduled
  await client.posts.create({ content: 'Hi' });
  // @ts-expect-error requests take documented platforms alone
  await client.posts.create({ publishNow: true, platforms: [{ platform: 'myspace', accountId: 'a' }] });
  // @ts-expect-error a misspelt field
  await client.posts.list({ state: 'draft' });
  for await (const post of client.posts.list({ status: 'draft', platform: ['bluesky'] })) {
    const title: string | undefined = post.content;
    // @ts-expect-error a listed post has no such field
    post.title;
    void title;
  }
  const posts: Post[] = await client.posts.list().toArray({ maxItems: 10 });
  targetResults(created).assertAllPublished();
  const reply = responseOf(created);
  if (reply) { const status: number = reply.status; void status; }
  const unknownReply: unknown = await client.request('GET /v1/posts/{postId}', { params: { postId: id } });
  const parsed: Post = await client.request('GET /v1/posts/{postId}', { params: { postId: id }, response: PostSchema });
  void [posts, unknownReply, parsed];
}

export function exhaustive(platform: string): string {
  if (!isKnownPlatform(platform)) return 'unknown';
  const names: Record<KnownPlatform, string> = {
    twitter: '', instagram: '', youtube: '', tiktok: '', pinterest: '', linkedin: '', bluesky: '', facebook: '', threads: '', googlebusiness: '',
  };
  return names[platform];
}

export async function events(request: Request): Promise<string> {
  const event: WebhookEvent = await verifyWebhook({ body: await request.arrayBuffer(), headers: request.headers, secret: 's' });
  if (!event.known) return typeof event.payload;
  switch (event.type) {
    case 'post.scheduled':
    case 'post.published':
    case 'post.partial':
    case 'post.failed':
      return event.data.post.id;
    default: {
      const never: never = event;
      return never;
    }
  }
}

export function errors(error: unknown): string {
  if (error instanceof ApiError) return String(error.status);
  if (error instanceof ConfigurationError) return error.message;
  return error instanceof SocialPublishingError ? error.outcome : '';
}

export const receiver = createWebhookReceiver({ secret: 's', on: { 'post.published': async (event) => { void event.data.platforms; } } });
export async function durable(client: SocialPublishing): Promise<string | undefined> {
  const publisher: Publisher = createPublisher({ client, store: new MemoryDurableStore(), onMissing: 'hold' });
  // @ts-expect-error a misspelt option
  createPublisher({ client, store: new MemoryDurableStore(), onMising: 'hold' });
  const body: CreatePostBody = { content: 'Hi', saveAsDraft: true };
  const intent: Intent = await publisher.publish('k', body, { extraBody: { timezone: 'UTC' } });
  // @ts-expect-error there is no such state
  if (intent.state === 'done') return undefined;
  for await (const one of publisher.publishMany([{ key: 'a', body }], { concurrency: 2 })) void one.replayed;
  for await (const one of publisher.list({ state: 'in_doubt' })) await publisher.resolve(one.key, { as: 'not_sent' });
  // @ts-expect-error a published intent has a post
  await publisher.resolve('k', { as: 'published' });
  const pruned: number = await publisher.prune({ olderThan: new Date() });
  void [pruned, IntentConflictError];
  return intent.postId;
}

export const Tagged = z.extend(PostSchema, { tags: z.array(z.string()) });
export type Tagged = z.output<typeof Tagged>;
export const tags = (post: Tagged): string[] => post.tags;
export const emulator = createEmulator({ accessKey: 'k' });
export const served = (): ReturnType<typeof serveEmulator> => serveEmulator(emulator, { port: 0 });

export async function stores(database: DatabaseSync, client: PgClient, send: RedisStoreCommand): Promise<void> {
  const sqlite = new SqliteStore(database, { onWarning: (message: string) => void message });
  const all: DurableStore[] = [sqlite, new PostgresStore(client, { table: 'mine' }), new RedisStore(send, { prefix: 'mine:' })];
  await sqlite.setup();
  const item = await sqlite.get('a');
  if (item) { const swapped: number | undefined = await sqlite.swap('a', item.version, item.data, null); void swapped; }
  // @ts-expect-error an item may not be there
  (await sqlite.get('a')).data;
  // @ts-expect-error data are text
  await sqlite.insert('a', { state: 'ready' }, null);
  // @ts-expect-error a store on Redis has no prefix of that name
  new RedisStore(send, { table: 'mine' });
  const within: DurableStore = sqlite.within(database);
  const sql: string = PostgresStore.sql + SqliteStore.sql;
  testDurableStore(() => sqlite, { describe: (name, define) => define(), it: (name, test) => test() });
  void [all, within, sql];
}

export function seeing(): SocialPublishing {
  const onEnd = ({ callId, host, credits, error }: EndInfo): void => { void [callId, host, credits, error]; };
  const mine: ClientHooks = { onEnd, onRequest: ({ attempt }) => ({ 'x-attempt': String(attempt) }) };
  // @ts-expect-error there is no such level
  logHooks(console, { level: 'verbose' });
  // @ts-expect-error a misspelt option
  otelHooks({ propagat: true });
  const hooks = [logHooks(console, { level: 'warn' }), otelHooks({ tracer: trace.getTracer('app'), propagate: true }), mine];
  return new SocialPublishing({ hooks, requestIdHeader: 'x-request-id' });
}
`;

/** Apart from the rest: the types of msw itself don't compile in CommonJS under node16, which can't require ES modules. */
export const mswCaller = `
import { createEmulator } from 'social-publishing/emulator';
import { emulatorHandlers } from 'social-publishing/emulator/msw';
import { setupServer } from 'msw/node';
export const server = setupServer(...emulatorHandlers(createEmulator({ accessKey: 'k' })));
`;

/** Compiler options of a project that checks all there is. */
export const strict = {
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  // The compiler's own library is not in question.
  skipDefaultLibCheck: true,
  noEmit: true,
  types: ['node'],
};
