import { describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { start, world, type World } from '../world.js';

const at = (hours: number) => new Date(start + hours * 3_600_000).toISOString();

async function statusAfter({ service, client, platforms }: World, hours: number): Promise<string | undefined> {
  const { postId } = await client.posts.create({ content: 'Hi', scheduledFor: at(hours), platforms });
  await service.clock.set(at(hours));
  return service.posts.find((post) => post.postId === postId)?.status;
}

describe('a platform that is down', () => {
  it.each([
    ['a date-time', at(2)],
    ['a Date', new Date(at(2))],
    ['milliseconds', start + 2 * 3_600_000],
  ])('fails publications before until, as %s, and none from then on', async (_, until) => {
    const w = world();
    w.service.publishing.outcome({ platform: 'tiktok', error: 'down', until });
    expect(await statusAfter(w, 1)).toBe('failed');
    expect(await statusAfter(w, 2)).toBe('published');
  });

  it('gives way to an earlier rule when it ends', async () => {
    const w = world();
    w.service.publishing.outcome({ platform: 'tiktok', warning: 'cut' });
    w.service.publishing.outcome({ error: 'down', until: at(1) });
    expect(await statusAfter(w, 0.5)).toBe('failed');
    expect(await statusAfter(w, 1.5)).toBe('partial');
  });
});

describe('a planned outcome', () => {
  it('can be removed by its ID, and the others stay', () => {
    const { service } = world();
    service.publishing.outcome({ platform: 'tiktok', error: 'down', times: 2 });
    service.publishing.outcome({ warning: 'cut' });
    const [first] = service.publishing.list();
    expect(first).toEqual({ id: first?.id, outcome: { platform: 'tiktok', error: 'down', times: 2 }, struck: 0 });
    expect(service.publishing.remove(first?.id ?? '')).toBe(true);
    expect(service.publishing.remove(first?.id ?? '')).toBe(false);
    expect(service.publishing.outcomes()).toEqual([{ warning: 'cut' }]);
  });

  it('counts the targets that it applied to, also in a saved state', async () => {
    const w = world();
    w.service.publishing.outcome({ platform: 'tiktok', error: 'down', times: 3 });
    w.service.publishing.outcome({ platform: 'instagram', warning: 'cut' });
    await statusAfter(w, 1);
    await statusAfter(w, 2);
    const counts = (service: Emulator) =>
      service.publishing.list().map(({ struck, outcome }) => [struck, outcome.times]);
    expect(counts(w.service)).toEqual([
      [2, 1],
      [0, undefined],
    ]);
    expect(counts(createEmulator({ state: w.service.snapshot().toJSON() }))).toEqual(counts(w.service));
  });
});

describe('an outcome of one post', () => {
  const create = async ({ client, tiktok, instagram }: World, content: string) => {
    const { postId } = await client.posts.create({
      content,
      scheduledFor: at(1),
      platforms: [
        { platform: 'tiktok', accountId: tiktok },
        { platform: 'instagram', accountId: instagram },
      ],
    });
    return postId;
  };
  const statuses = ({ service }: World, postId: string) =>
    service.posts.find((post) => post.postId === postId)?.platforms?.map(({ status }) => status);

  it('applies to its targets, and to no other post', async () => {
    const w = world();
    const [first, second] = [await create(w, 'First'), await create(w, 'Second')];
    w.service.publishing.outcome({ postId: second, accountId: w.tiktok, error: 'refused' });
    await w.service.clock.set(at(1));
    expect([statuses(w, first), statuses(w, second)]).toEqual([
      ['published', 'published'],
      ['failed', 'published'],
    ]);
  });

  it('is forgotten when the post is published, with the outcomes that it replaced', async () => {
    const w = world();
    const postId = await create(w, 'Only one');
    w.service.publishing.outcome({ postId, accountId: w.tiktok, error: 'refused' });
    w.service.publishing.outcome({ postId, accountId: w.tiktok });
    w.service.publishing.outcome({ postId: 'post_99', error: 'refused' });
    await w.service.clock.set(at(1));
    expect(statuses(w, postId)).toEqual(['published', 'published']);
    expect(w.service.publishing.outcomes()).toEqual([{ postId: 'post_99', error: 'refused' }]);
  });

  it('outlives its process in a state', async () => {
    const w = world();
    const postId = await create(w, 'Kept');
    w.service.publishing.outcome({ postId, error: 'refused' });
    const later = createEmulator({ state: w.service.snapshot().toJSON() });
    await later.clock.set(at(1));
    expect(later.posts[0]?.status).toBe('failed');
  });
});

describe('an outcome that could mean nothing is refused', () => {
  it.each([
    [{ platfrom: 'tiktok', error: 'x' }, 'platform'],
    [{ platform: 'tik-tok', error: 'x' }, 'tiktok'],
    [{ accountId: 'a', errorMessage: 'x' }, 'error'],
    [{ error: 5 }, 'error'],
    [{ postId: '', error: 'x' }, 'postId'],
    [{ warning: '' }, 'warning'],
    [{ error: 'x', times: 0 }, 'times'],
    [{ error: 'x', until: 'tomorrow' }, 'until'],
    [null, 'outcome'],
  ])('%j', (outcome, named) => {
    const { service } = world();
    expect(() => {
      service.publishing.outcome(outcome as never);
    }).toThrow(named);
  });
});

describe('an access token that was seeded with its end', () => {
  it('runs out when the clock passes it: the account must be connected again, and its publications fail', async () => {
    const w = world();
    const { service, client } = w;
    const { id } = service.seed.integration({ platform: 'twitter', accessTokenExpiresAt: at(2) });
    const publishAt = (hours: number) =>
      client.posts.create({
        content: 'Hi',
        scheduledFor: at(hours),
        platforms: [{ platform: 'twitter', accountId: id }],
      });
    await publishAt(1);
    await publishAt(3);
    expect(await client.integrations.get(id)).toMatchObject({
      authStatus: 'active',
      tokenStatus: { valid: true, autoRefreshes: false, reconnectRequired: false },
    });
    await service.clock.set(at(3));
    expect(service.posts.map(({ status }) => status)).toEqual(['published', 'failed']);
    expect(service.posts[1]?.platforms?.[0]?.errorMessage).toContain('token_expired');
    expect(await client.integrations.get(id)).toMatchObject({
      authStatus: 'expired',
      authFailureReason: 'token_expired',
      tokenStatus: { valid: false, autoRefreshes: false, reconnectRequired: true, reason: 'token_expired' },
      updatedAt: at(2),
    });
  });

  it('that refreshes automatically continues', async () => {
    const { service, client } = world();
    const { id } = service.seed.integration({
      platform: 'twitter',
      accessTokenExpiresAt: at(1),
      tokenStatus: { valid: true, autoRefreshes: true, reconnectRequired: false },
    });
    await service.clock.advance({ hours: 2 });
    expect(await client.integrations.get(id)).toMatchObject({ authStatus: 'active' });
  });

  it('in the past is over at once', async () => {
    const { service, client } = world();
    const { id } = service.seed.integration({ platform: 'twitter', accessTokenExpiresAt: at(-1) });
    expect(await client.integrations.get(id)).toMatchObject({ authFailureReason: 'token_expired' });
  });

  it('and an account without an expiry continues forever', async () => {
    const { service, client, tiktok } = world();
    await service.clock.advance({ days: 400 });
    expect(await client.integrations.get(tiktok)).toMatchObject({ authStatus: 'active' });
  });
});
