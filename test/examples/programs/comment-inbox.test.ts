import { SocialPublishing } from 'social-publishing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programWorld, type ProgramWorld } from '../../support/run-program.js';

let world: ProgramWorld;

beforeEach(async () => {
  world = await programWorld();
});

afterEach(() => world.close());

it('shows what nobody has answered, the newest first, and ends with 2', async () => {
  const { service } = world;
  const client = new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'key', fetch: service.fetch });
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

it('ends with 0 where nothing waits, and with 1 where an option can not be', async () => {
  expect(await world.run('comment-inbox')).toMatchObject({ code: 0, out: 'Every comment has an answer.\n' });
  const { code, err } = await world.run('comment-inbox', ['--days', 'many']);
  expect(err).toBe('--days must be a number above 0\n');
  expect(code).toBe(1);
});
