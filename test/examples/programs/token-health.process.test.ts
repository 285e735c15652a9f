import { beforeEach, expect, it } from 'vitest';
import { programWorld, type ProgramWorld } from '../../support/run-program.js';

const dayMs = 86_400_000;
let world: ProgramWorld;

beforeEach(async () => {
  world = await programWorld();
});

it('lists each account that needs attention, and why, and exits with 2', async () => {
  const { service } = world;
  const soon = new Date(service.clock.now() + 3 * dayMs).toISOString();
  service.seed.integration({ platform: 'bluesky', username: 'well' });
  service.seed.integration({ platform: 'tiktok', username: 'refused', authFailureReason: 'token_expired' });
  service.seed.integration({
    platform: 'linkedin',
    username: 'ends',
    profileId: 'shop',
    accessTokenExpiresAt: soon,
    tokenStatus: { valid: true, autoRefreshes: false, reconnectRequired: false },
  });
  const all = await world.run('token-health');
  expect(all.out).toMatch(/tiktok @refused .* is not authorized any more/);
  expect(all.out).toContain(`expires and isn't refreshed automatically: connect it again before that (token: ${soon})`);
  expect(all.out).toContain('2 need attention.');
  expect(all.out).not.toContain('@well');
  expect(all.code).toBe(2);

  const shop = await world.run('token-health', ['--profile', 'shop', '--json']);
  expect(
    shop.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toMatchObject([{ platform: 'linkedin', username: 'ends', reason: 'expires_soon', expiresAt: soon }]);

  const earlier = await world.run('token-health', ['--profile', 'shop', '--days', '1']);
  expect(earlier).toMatchObject({ code: 0, out: 'No account needs anybody.\n' });
});

it('exits with 1 if it could not read the accounts, and shows no key', async () => {
  world.service.faults.add({ kind: 'status', status: 401 });
  const { code, err } = await world.run('token-health');
  expect(err).toContain('401');
  expect(err).not.toContain('at ');
  expect(code).toBe(1);
});
