import { describe, expect, it } from 'vitest';
import { controlled } from '../adapters/control/control.js';
import { clientOf, start, world } from '../world.js';

const at = (hours: number) => new Date(start + hours * 3_600_000).toISOString();

describe('an account', () => {
  it('that expires fails its publications until it is connected again', async () => {
    const { service, client, tiktok, platforms } = world();
    const publish = () => client.posts.create({ content: 'Hi', publishNow: true, platforms });
    expect(service.accounts.expire(tiktok)).toMatchObject({ id: tiktok, authStatus: 'expired' });
    expect(await publish()).toMatchObject({ status: 'failed' });
    expect(await client.integrations.get(tiktok)).toMatchObject({
      accessTokenExpiresAt: at(0),
      tokenStatus: { valid: false, reconnectRequired: true, reason: 'token_expired' },
    });
    expect(service.accounts.reconnect(tiktok)).toMatchObject({ id: tiktok, authStatus: 'active' });
    const reconnected = await client.integrations.get(tiktok);
    expect(reconnected).toMatchObject({ tokenStatus: { valid: true, autoRefreshes: true } });
    expect(reconnected.authFailureReason).toBeUndefined();
    expect(await publish()).toMatchObject({ status: 'published' });
  });

  it('whose authorization fails has the reason, and keeps its name and profile when it is connected again', async () => {
    const { service, client } = world();
    const { id } = service.seed.integration({
      platform: 'instagram',
      username: 'acme.shop',
      profileId: 'brand',
      accessTokenExpiresAt: at(2),
    });
    service.accounts.fail(id, { reason: 'permission_removed' });
    const reasons = new Map<string, string>();
    for await (const { integration, reason } of client.integrations.needingAttention({ withinDays: 7 }))
      reasons.set(integration.id, reason);
    expect(reasons.get(id)).toBe('auth_failed');
    expect(await client.integrations.get(id)).toMatchObject({ authFailureReason: 'permission_removed' });
    service.accounts.reconnect(id);
    // The expiry of the old token is cancelled.
    await service.clock.advance({ hours: 3 });
    expect(await client.integrations.get(id)).toMatchObject({
      authStatus: 'active',
      username: 'acme.shop',
      profileId: 'brand',
    });
  });

  it('that does not exist, and an empty reason, are refused', () => {
    const { service, tiktok } = world();
    expect(() => service.accounts.expire('nobody')).toThrow("The integration 'nobody' does not exist.");
    expect(() => service.accounts.fail(tiktok, { reason: '' })).toThrow('reason');
    expect(() => service.accounts.fail(tiktok, { resaon: 'x' } as never)).toThrow('reason');
  });
});

describe('the control API', () => {
  it('does the same, and reports a change of accounts', async () => {
    const { service, send } = controlled();
    const { id } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
    const changes: unknown[] = [];
    service.observe((change) => changes.push(change));
    expect(await send(`POST /accounts/${id}/expire`)).toMatchObject({ status: 200, body: { authStatus: 'expired' } });
    expect(await send(`POST /accounts/${id}/fail`, { reason: 'revoked' })).toMatchObject({
      body: { authStatus: 'failed', authFailureReason: 'revoked' },
    });
    expect(await send(`POST /accounts/${id}/reconnect`)).toMatchObject({ body: { authStatus: 'active' } });
    expect(await send('POST /accounts/nobody/expire')).toMatchObject({ status: 404 });
    expect(changes).toEqual(Array.from({ length: 3 }, () => ({ type: 'state', what: 'accounts' })));
    expect(await clientOf(service.fetch).integrations.get(id)).toMatchObject({ username: 'acme' });
  });
});
