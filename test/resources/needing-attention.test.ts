import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/index.js';
import { rejection } from '../policies/client.js';
import { everydayWorld, type EverydayWorld } from './everyday-world.js';

async function reasons(world: EverydayWorld, withinDays?: number) {
  const found: [string | undefined, string][] = [];
  for await (const { integration, reason } of world.client.integrations.needingAttention({ withinDays })) {
    found.push([integration.username, reason]);
  }
  return found.sort(([a = ''], [b = '']) => a.localeCompare(b));
}

describe('integrations.needingAttention', () => {
  it('returns each account that needs attention once, with the first reason that applies', async () => {
    const world = everydayWorld();
    const { seed } = world.service;
    const well = { valid: true, autoRefreshes: false, reconnectRequired: false };
    seed.integration({ platform: 'bluesky', username: 'a-well' });
    seed.integration({ platform: 'bluesky', username: 'b-refused', authFailureReason: 'token_expired' });
    seed.integration({ platform: 'bluesky', username: 'c-inactive', authStatus: 'revoked' });
    seed.integration({
      platform: 'bluesky',
      username: 'd-reconnect',
      tokenStatus: { ...well, reconnectRequired: true },
    });
    const soon = '2026-03-07T09:00:00Z';
    seed.integration({ platform: 'bluesky', username: 'e-soon', accessTokenExpiresAt: soon, tokenStatus: well });
    seed.integration({
      platform: 'bluesky',
      username: 'f-refreshes',
      accessTokenExpiresAt: soon,
      tokenStatus: { ...well, autoRefreshes: true },
    });
    seed.integration({ platform: 'instagram', username: 'g-insights', insightsReadable: false });
    seed.integration({ platform: 'facebook', username: 'h-no-insights', insightsReadable: false });
    expect(await reasons(world)).toEqual([
      ['b-refused', 'auth_failed'],
      ['c-inactive', 'auth_failed'],
      ['d-reconnect', 'reconnect_required'],
      ['e-soon', 'expires_soon'],
      ['g-insights', 'insights_unreadable'],
    ]);
    expect(await reasons(world, 1)).not.toContainEqual(['e-soon', 'expires_soon']);
  });

  it('reads the token of an account only where the list shows no failure', async () => {
    const world = everydayWorld();
    world.service.seed.integration({ platform: 'bluesky', username: 'a', authFailureReason: 'token_expired' });
    world.service.seed.integration({ platform: 'bluesky', username: 'b' });
    await reasons(world);
    const reads = world.service.requests.filter(({ route }) => route === 'GET /v1/connect/integrations/{id}');
    expect(reads).toHaveLength(1);
  });

  it('passes over an account that was disconnected meanwhile', async () => {
    const world = everydayWorld();
    world.service.seed.integration({ platform: 'bluesky' });
    const route = 'GET /v1/connect/integrations/{id}';
    world.service.faults.add({ route, kind: 'status', status: 404 });
    expect(await reasons(world)).toEqual([]);
  });

  it.each([-1, Infinity, Number.NaN, '7', null])(
    'refuses withinDays %j before anything is sent',
    async (withinDays) => {
      const world = everydayWorld();
      const error = await rejection(reasons(world, withinDays as number));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as InvalidRequestError).issues).toEqual([
        { path: ['withinDays'], message: 'withinDays must be a number, 0 or more' },
      ]);
      expect(world.service.requests).toEqual([]);
    },
  );
});
