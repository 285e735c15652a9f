import { describe, expect, it } from 'vitest';
import { start, world, type World } from '../world.js';

const at = (hours: number) => new Date(start + hours * 3_600_000).toISOString();

async function statusAfter({ service, client, tiktok }: World, hours: number): Promise<string | undefined> {
  const { postId } = await client.posts.create({
    content: 'Hi',
    scheduledFor: at(hours),
    platforms: [{ platform: 'tiktok', accountId: tiktok }],
  });
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

describe('an outcome that could mean nothing is refused', () => {
  it.each([
    [{ platfrom: 'tiktok', error: 'x' }, 'platform'],
    [{ platform: 'tik-tok', error: 'x' }, 'tiktok'],
    [{ accountId: 'a', errorMessage: 'x' }, 'error'],
    [{ error: 5 }, 'error'],
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
