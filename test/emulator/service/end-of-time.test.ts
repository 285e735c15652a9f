import { describe, expect, it } from 'vitest';
import { controlled } from '../adapters/control/control.js';
import { raw, start, world } from '../world.js';

const last = '9999-12-31T23:59:59.999Z';

describe('times in the far future', () => {
  it('a delay longer than all time leaves the clock, the control API and the state at work', async () => {
    const { service, client, platforms } = world();
    const { send } = controlled(service);
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    service.deliveryFaults.add({ kind: 'delay', delayMs: 1e18, times: 1 });
    await client.posts.create({ content: 'a', publishNow: true, platforms });
    await service.settled();
    expect(await send('GET /clock')).toMatchObject({ status: 200, body: { nextDue: last } });
    await service.clock.advance({ days: 1 });
    expect(service.deliveries).toEqual([]);
    expect(service.snapshot().toJSON()).toMatchObject({ format: 'social-publishing-emulator' });
    await service.clock.step();
    expect([new Date(service.clock.now()).toISOString(), service.deliveries.length]).toEqual([last, 1]);
    expect((await raw(service, 'GET /v1/posts/')).status).toBe(200);
  });

  it('a publication that takes longer than all time ends with it', async () => {
    const { service, client, platforms } = world();
    service.publishing.duration({ days: 1e12 });
    await client.posts.create({ content: 'a', publishNow: true, platforms });
    await service.clock.step();
    expect(service.posts).toMatchObject([{ status: 'published', platforms: [{ publishedAt: last }] }]);
    expect((await client.analytics.listPosts({ fromDate: '9999-12-01', toDate: '9999-12-31' })).items).toHaveLength(1);
  });

  it.each([8.64e15, -8.64e15, new Date(8.64e15), Date.parse('+010000-01-01T00:00:00Z'), Number.NaN])(
    'no clock is set to %s',
    async (to) => {
      const { service } = world();
      await expect(service.clock.set(to)).rejects.toThrow(RangeError);
      expect(service.clock.now()).toBe(start);
    },
  );

  it('a clock at the end of time answers, and connects accounts', async () => {
    const { service } = world();
    await service.clock.set(Date.parse(last));
    await expect(service.clock.advance({ milliseconds: 1 })).rejects.toThrow('years 0000 to 9999');
    const { token } = service.seed.selection({ platform: 'facebook', accounts: [{ id: 'a' }] });
    const select = `POST /v1/connect/facebook/selection/${token}`;
    expect((await raw(service, select, { selectedAccountIds: ['a'] })).status).toBe(200);
    expect((await raw(service, select, { selectedAccountIds: ['a'] })).status).toBe(410);
  });
});
