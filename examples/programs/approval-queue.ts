/**
 * Drafts wait for approval. An approved draft is published once, however often you run the command.
 *
 * npx tsx examples/programs/approval-queue.ts add ideas.txt npx tsx examples/programs/approval-queue.ts approve ID --to
 * ACCOUNT --at 2030-03-29T09:00 --zone Europe/Berlin
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY. Approvals are stored in `approval-queue.db`
 * (Node 22.13 or later). The API document shows no way to turn a draft into a post, so a draft stays listed.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { retryFailed, SocialPublishing, targetOf, targetResults, zonedTime } from 'social-publishing';
import type { CreatePostBody, Post } from 'social-publishing';
import { createPublisher, type Intent, type Publisher } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';

const usage = `Usage: approval-queue add FILE|-                 saves each line as a draft, once
       approval-queue list                      shows the waiting drafts, and why an approved one isn't published
       approval-queue approve ID --to ACCOUNT… [--at 2030-03-29T09:00 --zone Europe/Berlin]
                                                publishes a draft, now or at that time;
                                                repeat it to send a rejected one again
       approval-queue retry ID                  publishes a post again to its failed accounts

  --db FILE  the file for approvals (default approval-queue.db)

Exits with 0 on success, 1 on an error, 2 if a post failed on an account or its outcome is unknown.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      to: { type: 'string', multiple: true, default: [] },
      at: { type: 'string' },
      zone: { type: 'string' },
      db: { type: 'string', default: 'approval-queue.db' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command = '', argument = ''] = positionals;
  const isKnown = command === 'list' || (['add', 'approve', 'retry'].includes(command) && argument !== '');
  if (values.help || !isKnown) {
    (values.help ? console.log : console.error)(usage);
    return values.help ? 0 : 1;
  }
  const client = new SocialPublishing();
  const store = new SqliteStore(values.db);
  try {
    const publisher = createPublisher({ client, store });
    if (command === 'add') return await add(publisher, argument);
    if (command === 'list') return await list(client, publisher);
    const post = await find(client, argument);
    const accept = command === 'retry' ? retry : approve;
    return await report(client, await accept(client, publisher, post, values));
  } finally {
    await store.close();
  }
}

/** Saves each line once, also if the file is added again. */
async function add(publisher: Publisher, file: string): Promise<number> {
  const lines = (await (file === '-' ? text(process.stdin) : readFile(file, 'utf8'))).split('\n');
  const ideas = new Set(lines.map((line) => line.trim()).filter((line) => line !== ''));
  const drafts = [...ideas].map((content) => {
    const key = `idea/${createHash('sha256').update(content).digest('hex')}`;
    return { key, body: { content, saveAsDraft: true } as const };
  });
  let bad = 0;
  for await (const { postId, state, body, error } of publisher.publishMany(drafts)) {
    if (postId === undefined) bad += 1;
    console.log(`${postId ?? state}: ${body.content ?? ''}${error === undefined ? '' : ` (${error.message})`}`);
  }
  return bad === 0 ? 0 : 2;
}

async function list(client: SocialPublishing, publisher: Publisher): Promise<number> {
  for await (const { postId, createdAt = '', content = '' } of client.posts.list({ status: 'draft', limit: 100 })) {
    const intent = await publisher.get(`approved/${postId}`);
    if (intent?.postId !== undefined) continue;
    const why = intent === undefined ? '' : `  (${intent.state}: ${intent.error?.message ?? 'approve it again'})`;
    console.log(`${postId}  ${createdAt}  ${content}${why}`);
  }
  return 0;
}

/** The API document names the read of one post without showing it, so this searches the list. */
async function find(client: SocialPublishing, postId: string): Promise<Post> {
  for await (const post of client.posts.list({ limit: 100 })) if (post.postId === postId) return post;
  throw new Error(`The post ${postId} does not exist.`);
}

interface Choice {
  readonly to: readonly string[];
  readonly at?: string | undefined;
  readonly zone?: string | undefined;
}

async function approve(client: SocialPublishing, publisher: Publisher, draft: Post, { at, zone = 'UTC', to }: Choice) {
  if (draft.status !== 'draft') throw new Error(`${draft.postId} is not a draft: it is ${String(draft.status)}.`);
  if (to.length === 0) throw new Error('Say which accounts it goes to: --to ACCOUNT.');
  const platforms = (await Promise.all(to.map((id) => client.integrations.get(id)))).map(targetOf);
  const { saveAsDraft: _draft, platforms: _platforms, content: _content, ...extraBody } = draft.rawRequestBody ?? {};
  const post = { content: draft.content, platforms };
  const body: CreatePostBody =
    at === undefined ? { ...post, publishNow: true } : { ...post, scheduledFor: zonedTime(at, zone) };
  return send(publisher, `approved/${draft.postId}`, body, extraBody);
}

async function retry(_client: SocialPublishing, publisher: Publisher, post: Post): Promise<Intent> {
  const again = retryFailed(post);
  if (again === undefined) throw new Error(`${post.postId} has not failed anywhere.`);
  // Always the same key: another one would publish to the failed accounts once more.
  return send(publisher, `retry/${post.postId}`, again.body, again.extraBody);
}

/** Publishes once. A rejected post was not executed, so the same body can be sent again. */
async function send(publisher: Publisher, key: string, body: CreatePostBody, extraBody: Intent['extraBody']) {
  const before = await publisher.get(key);
  // Another body is a conflict, and nothing changes.
  const intent = await publisher.publish(key, body, { extraBody });
  if (before?.state !== 'rejected' || intent.state !== 'rejected') return intent;
  await publisher.resolve(key, { as: 'not_sent' });
  return publisher.publish(key, body, { extraBody });
}

async function report(client: SocialPublishing, { state, postId, post: reply, error, body }: Intent): Promise<number> {
  if (postId === undefined) {
    console.error(`${state}: ${error?.message ?? 'run it again to see the result'}`);
    return state === 'rejected' ? 1 : 2;
  }
  console.log(`${postId}: ${state}`);
  if (body.scheduledFor !== undefined) return 0;
  const post = await client.posts.waitUntilFinal(reply ?? postId);
  const { published, failed } = targetResults(post);
  for (const { platform = '', url = '' } of published) console.log(`  ${platform}  ${url}`);
  for (const { platform = '', error: why = '' } of failed) console.error(`  ${platform} failed: ${why}`);
  return failed.length === 0 ? 0 : 2;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
