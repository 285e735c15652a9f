import { describe, expect, it } from 'vitest';
import { retryFailed, targetOf, targetResults } from '../../src/index.js';
import { everydayWorld, start } from '../resources/everyday-world.js';

const hour = 3_600_000;

/** A service with two connected accounts, and a post to both. */
function twoAccounts(token: object = {}) {
  const world = everydayWorld();
  const instagram = world.service.seed.integration({ platform: 'instagram', ...token });
  const tiktok = world.service.seed.integration({ platform: 'tiktok' });
  const publish = () =>
    world.client.posts.create({
      content: 'Our new shop is open',
      publishNow: true,
      platforms: [targetOf(instagram), targetOf(tiktok)],
    });
  return { ...world, instagram, tiktok, publish };
}

describe('elsewhere, one failed platform made a scheduler publish to all of them again', () => {
  it('here, a retry has only the failed target', async () => {
    const { service, client, instagram, tiktok, publish } = twoAccounts();
    service.publishing.outcome({ accountId: tiktok.id, error: 'The video is too long', times: 1 });
    const post = await client.posts.waitUntilFinal(await publish());
    expect(post.status).toBe('partial');
    const retry = retryFailed(post);
    if (retry === undefined) return expect.unreachable();
    expect(retry.body.platforms).toEqual([targetOf(tiktok)]);
    await client.posts.waitUntilFinal(await client.posts.create(retry.body, { extraBody: retry.extraBody }));
    const targets = service.posts.flatMap(({ rawRequestBody }) => rawRequestBody?.['platforms'] as object[]);
    expect(targets).toEqual([targetOf(instagram), targetOf(tiktok), targetOf(tiktok)]);
  });
});

describe('elsewhere, an expired token failed posts for days, and nobody noticed', () => {
  it('here, the account is listed as one that needs attention, and the post says why it failed', async () => {
    const { service, client, publish } = twoAccounts({
      accessTokenExpiresAt: new Date(start + hour).toISOString(),
      tokenStatus: { valid: true, autoRefreshes: false, reconnectRequired: false },
    });
    await service.clock.advance({ hours: 2 });
    const attention: string[] = [];
    for await (const { integration } of client.integrations.needingAttention()) attention.push(integration.id);
    expect(attention).toHaveLength(1);
    const post = await client.posts.waitUntilFinal(await publish());
    expect(post.status).toBe('partial');
    expect(targetResults(post).failed).toMatchObject([
      { platform: 'instagram', error: 'The account must be connected again (token_expired).' },
    ]);
  });
});

describe('elsewhere, a slow platform was taken for a failed one, and the post was sent again', () => {
  it('here, a wait goes on while the platform publishes for half an hour', async () => {
    const { service, client, publish } = twoAccounts();
    service.publishing.duration({ minutes: 30 });
    const post = await client.posts.waitUntilFinal(await publish(), { waitMs: hour });
    expect(post.status).toBe('published');
    expect(service.posts).toHaveLength(1);
  });
});

describe('elsewhere, a client that was refused for its speed repeated its calls until it was blocked', () => {
  it('here, it waits as long as the service asks, and then sends each post once', async () => {
    const { service, client, waits, publish } = twoAccounts();
    service.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '17' }, times: 1 });
    await publish();
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(17_000);
    expect(service.requests).toHaveLength(2);
    await client.posts.list();
    expect(service.posts).toHaveLength(1);
  });
});
