import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasSqlite, programWorld, type ProgramWorld } from '../../support/run-program.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let folder: string;
let world: ProgramWorld;
let bluesky: string;
let tiktok: string;

beforeEach(async () => {
  folder = temporaryFolder('approval-queue');
  world = await programWorld();
  bluesky = world.service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
  tiktok = world.service.seed.integration({ platform: 'tiktok', username: 'acme' }).id;
});

const run = (args: readonly string[], stdin?: string) =>
  world.run('approval-queue', [...args, '--db', join(folder, 'db')], stdin);

async function draft(content: string): Promise<string> {
  const { out, code } = await run(['add', '-'], content);
  expect(code).toBe(0);
  return out.split(':')[0] ?? '';
}

describe.skipIf(!hasSqlite)('the approval queue', () => {
  it('publishes an approved draft once, and lists it no more', async () => {
    const added = await run(['add', '-'], 'First idea\n\n  Second idea\n');
    const ids = added.out
      .trim()
      .split('\n')
      .map((line) => line.split(':')[0] ?? '');
    expect(ids).toHaveLength(2);
    const [first = '', second = ''] = ids;
    const approved = await run(['approve', first, '--to', bluesky]);
    expect(approved.out).toMatch(/post_\S+: published\n {2}bluesky {2}http/);
    expect(approved.code).toBe(0);
    await run(['approve', first, '--to', bluesky]);
    expect(world.service.posts.map(({ content, status }) => `${String(status)} ${String(content)}`)).toEqual([
      'draft First idea',
      'draft Second idea',
      'published First idea',
    ]);
    const { out } = await run(['list']);
    expect(out).toContain(second);
    expect(out).not.toContain(first);
  });

  it.each([
    ['lists drafts late', { kind: 'listing_lag', lagMs: 3_600_000 }],
    ['loses a reply', { route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 }],
  ] as const)('saves each line once if the file is added again and the service %s', async (_, fault) => {
    world.service.faults.add(fault);
    const ideas = 'First idea\nSecond idea\nFirst idea\n';
    await run(['add', '-'], ideas);
    const again = await run(['add', '-'], `${ideas}Third idea\n`);
    expect(again.out).toMatch(/^post_\d: First idea\npost_\d: Second idea\npost_\d: Third idea\n$/);
    expect(world.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
  });

  it("schedules in a time zone, with the draft's other fields", async () => {
    const created = await world.service.fetch('https://emulator.test/v1/posts/', {
      method: 'POST',
      headers: { 'x-access-key': 'key', 'content-type': 'application/json' },
      body: JSON.stringify({
        content: 'With a picture',
        saveAsDraft: true,
        mediaItems: [{ type: 'image', url: 'https://a.test/1.png' }],
      }),
    });
    const { postId } = (await created.json()) as { postId: string };
    const { code } = await run([
      'approve',
      postId,
      '--to',
      bluesky,
      '--at',
      '2030-03-29T09:00',
      '--zone',
      'Europe/Berlin',
    ]);
    expect(code).toBe(0);
    const post = world.service.posts.at(-1);
    expect(Date.parse(post?.scheduledFor ?? '')).toBe(Date.parse('2030-03-29T08:00:00Z'));
    expect(post).toMatchObject({
      status: 'scheduled',
      rawRequestBody: { mediaItems: [{ url: 'https://a.test/1.png' }] },
    });
  });

  it('finds a post whose reply got lost, and does not publish it again', async () => {
    const id = await draft('Idea');
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 });
    for (const code of [0, 0]) expect((await run(['approve', id, '--to', bluesky])).code).toBe(code);
    expect(world.service.posts.filter(({ content, status }) => content === 'Idea' && status !== 'draft')).toHaveLength(
      1,
    );
  });

  it('holds a post that may have been published, and says so', async () => {
    const id = await draft('Idea');
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    for (const code of [2, 2]) {
      const held = await run(['approve', id, '--to', bluesky]);
      expect(held.err).toMatch(/^in_doubt: /);
      expect(held.code).toBe(code);
    }
    expect(world.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('lists rejected posts with the reason, and sends one again if it is approved again', async () => {
    const id = await draft('Idea');
    const refuse = () => {
      const body = { success: false, message: 'content: too long' };
      world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 400, body, times: 1 });
    };
    for (const times of [1, 2]) {
      refuse();
      const rejected = await run(['approve', id, '--to', bluesky]);
      expect(rejected).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^rejected: .*content: too long/) as string,
      });
      // The draft, and a create each time.
      expect(world.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1 + times);
      expect((await run(['list'])).out).toMatch(
        new RegExp(`^${id} .* Idea {2}\\(rejected: .*content: too long.*\\)\n$`),
      );
    }
    const other = await run(['approve', id, '--to', tiktok]);
    expect(other.code).toBe(1);
    expect((await run(['list'])).out).toContain('(rejected: ');

    const approved = await run(['approve', id, '--to', bluesky]);
    expect(approved).toMatchObject({ code: 0, err: '' });
    expect((await run(['list'])).out).toBe('');
    expect(world.service.posts.map(({ status }) => status)).toEqual(['draft', 'published']);
  });

  it('lists held posts until their outcome is known', async () => {
    const id = await draft('Idea');
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    await run(['approve', id, '--to', bluesky]);
    expect((await run(['list'])).out).toMatch(new RegExp(`^${id} .*\\(in_doubt: .+\\)\n$`));
  });

  it('publishes again only to the failed targets, once', async () => {
    world.service.publishing.outcome({ platform: 'tiktok', error: 'media rejected' });
    const approved = await run(['approve', await draft('Idea'), '--to', bluesky, '--to', tiktok]);
    expect(approved.err).toBe('  tiktok failed: media rejected\n');
    expect(approved.code).toBe(2);
    const [postId = ''] = approved.out.split(':');

    world.service.publishing.reset();
    for (const code of [0, 0]) expect((await run(['retry', postId])).code).toBe(code);
    const posts = world.service.posts.filter(({ status }) => status !== 'draft');
    expect(posts).toHaveLength(2);
    expect(posts[1]?.platforms).toMatchObject([{ platform: 'tiktok', status: 'published' }]);
  });
});

it.each([
  [['approve', 'post_nobody', '--to', 'x'], 'The post post_nobody does not exist.'],
  [['approve'], 'Usage:'],
  [['reject', 'post_1'], 'Usage:'],
])('explains the mistake in %j', async (args, message) => {
  const { code, err } = await run(args);
  if (hasSqlite) expect(err).toContain(message);
  expect(code).toBe(1);
});
