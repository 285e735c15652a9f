import type { PostTargetInput } from 'social-publishing';
import { beforeEach, expect, it } from 'vitest';
import { programWorld, type ProgramWorld } from '../../support/run-program.js';

let world: ProgramWorld;

beforeEach(async () => {
  world = await programWorld();
});

/** Publishes to accounts, and returns the ID of each target on its platform. */
async function publish(platforms: readonly PostTargetInput[], content = 'Hello'): Promise<string[]> {
  const { postId } = await world.client.posts.create({ content, publishNow: true, platforms: [...platforms] });
  const post = world.service.posts.find((listed) => listed.postId === postId);
  return (post?.platforms ?? []).map(({ platformPostId }) => platformPostId ?? '');
}

const account = (username: string) => {
  const { id } = world.service.seed.integration({ platform: 'instagram', username, platformUserId: `ig-${username}` });
  return { platform: 'instagram', accountId: id } as const;
};

const commentLists = () => world.service.requests.filter(({ path }) => path.startsWith('/v1/comments/'));

it('shows unanswered comments, newest first, and exits with 2', async () => {
  const { service, client } = world;
  const instagram = service.seed.integration({ platform: 'instagram', username: 'acme', platformUserId: 'acme-ig' });
  const bluesky = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  await client.posts.create({
    content: 'Hello',
    publishNow: true,
    platforms: [
      { platform: 'bluesky', accountId: bluesky.id },
      { platform: 'instagram', accountId: instagram.id },
    ],
  });
  const target = service.posts[0]?.platforms?.find(({ platform }) => platform === 'instagram');
  const on = { accountId: instagram.id, postId: target?.platformPostId ?? '' };
  const at = (minutes: number) => new Date(service.clock.now() + minutes * 60_000).toISOString();
  service.seed.comment({ ...on, text: 'older', author: { name: 'Kim' }, timestamp: at(1) });
  service.seed.comment({ ...on, text: 'newer', author: { name: 'Sam' }, timestamp: at(2) });
  service.seed.comment({ ...on, text: 'by us', author: { id: 'acme-ig', name: 'acme' } });
  service.seed.comment({ ...on, text: 'hidden', hidden: true });
  service.seed.comment({ ...on, text: 'answered', replies: [{ text: 'thanks', author: { id: 'acme-ig' } }] });
  service.seed.comment({ ...on, text: 'by others', replies: [{ text: 'me too', author: { id: 'somebody' } }] });

  const { code, out } = await world.run('comment-inbox');
  const shown = out.split('\n').flatMap((line) => (line.startsWith('instagram') ? [line.split(': ')[1]] : []));
  expect(shown.slice(0, 2)).toEqual(['newer', 'older']);
  expect(shown).toHaveLength(3);
  expect(shown).toContain('by others');
  expect(out).toContain(target?.platformPostUrl);
  expect(out).toContain('3 wait.');
  expect(code).toBe(2);
  expect(service.requests.filter(({ path }) => path.startsWith('/v1/comments/'))).toHaveLength(1);
});

it('reads each account of a post if the list does not show the accounts of targets', async () => {
  const [a, b] = [account('a'), account('b')];
  account('of another brand');
  const [first = '', second = ''] = await publish([a, b]);
  const { seed } = world.service;
  seed.comment({ accountId: a.accountId, postId: first, text: 'Really?', author: { name: 'Ada', id: 'x' } });
  const answer = { text: 'yes', author: { id: 'ig-b' } };
  seed.comment({
    accountId: b.accountId,
    postId: second,
    text: 'Open today?',
    author: { name: 'Kim' },
    replies: [answer],
  });

  const { code, out, err } = await world.run('comment-inbox');
  expect(out).toMatch(/^instagram {2}Ada: Really\?\n {4}http\S+\n1 wait\.\n$/);
  expect(err).toBe('');
  expect(code).toBe(2);
  expect(commentLists()).toHaveLength(4);
});

it('reads the connected accounts of the platform if the list does not show the request', async () => {
  const [a] = [account('a'), account('b')];
  const { seed } = world.service;
  seed.post({ status: 'published', platforms: [{ ...a, platformPostId: 'ig-1' }] });
  seed.comment({ accountId: a.accountId, postId: 'ig-1', text: 'Really?', author: { name: 'Ada' } });
  const { code, out, err } = await world.run('comment-inbox');
  expect(out).toContain('Ada: Really?');
  expect(err).toBe('');
  expect(code).toBe(2);
});

it('names the posts that could not be read, and exits with 1 in any case', async () => {
  const [a, b] = [account('a'), account('b')];
  const [elsewhere = ''] = await publish([a], 'To one');
  const { seed } = world.service;
  seed.comment({ accountId: a.accountId, postId: elsewhere, text: 'Really?', author: { name: 'Ada' } });
  const target = (platformPostId: string) => ({ ...a, status: 'published', platformPostId });
  const requested = (...accountIds: string[]) => ({
    platforms: accountIds.map((accountId) => ({ platform: 'instagram', accountId })),
  });
  const both = [target('ig-1'), target('ig-2')];
  seed.post({ postId: 'gone', status: 'published', platforms: both, rawRequestBody: requested(a.accountId, 'gone') });
  seed.post({ postId: 'unknown', status: 'published', platforms: [...both, target('ig-3')] });
  seed.post({
    postId: 'quiet',
    status: 'published',
    platforms: both,
    rawRequestBody: requested(a.accountId, b.accountId),
  });

  const { code, out, err } = await world.run('comment-inbox');
  expect(out).toContain('Ada: Really?');
  expect(out).toContain('1 wait.');
  const told = err.split('\n').flatMap((line) => /^could not read instagram of (\S+?): ./.exec(line)?.[1] ?? []);
  expect(told.sort()).toEqual(['gone', 'gone', 'unknown', 'unknown', 'unknown']);
  expect(code).toBe(1);
});

it('does not claim that all is answered if a post could not be read', async () => {
  const { accountId } = account('a');
  await publish([{ platform: 'instagram', accountId }]);
  world.service.faults.add({ route: 'GET /v1/comments/', kind: 'status', status: 403 });
  const { code, out, err } = await world.run('comment-inbox');
  expect(out).toBe('0 wait.\n');
  expect(err).toContain('could not read');
  expect(code).toBe(1);
});

it('reports a published target without an ID on its platform', async () => {
  const post = { postId: 'post_1', content: 'Hello', status: 'published', platforms: [{ platform: 'threads' }] };
  const body = { success: true, posts: [post], total: 1 };
  world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 200, body });
  const { code, err } = await world.run('comment-inbox');
  expect(err).toBe('could not read threads of post_1: its ID on the platform is unknown\n');
  expect(code).toBe(1);
});

it('ends with 0 where nothing waits, and with 1 where an option can not be', async () => {
  expect(await world.run('comment-inbox')).toMatchObject({ code: 0, out: 'Every comment has an answer.\n' });
  const { code, err } = await world.run('comment-inbox', ['--days', 'many']);
  expect(err).toBe('--days must be a number above 0\n');
  expect(code).toBe(1);
});
