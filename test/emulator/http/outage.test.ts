import { describe, expect, it } from 'vitest';
import { outcomeOf, SocialPublishing } from '../../../src/index.js';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { createEmulator, type OutageFault } from '../../../src/emulator/index.js';
import { rejection } from '../../policies/client.js';

const start = Date.parse('2026-03-02T09:00:00Z');
const minutes = (count: number) => new Date(start + count * 60_000);

function serviceDown(effect: OutageFault['effect'], more: Partial<OutageFault> = {}) {
  const service = createEmulator({ accessKey: null, now: () => start });
  service.faults.add({ kind: 'outage', effect, ...more });
  const client = new SocialPublishing({
    baseUrl: 'https://emulator.test',
    accessKey: null,
    fetch: service.fetch,
    maxRetries: 0,
  });
  return { service, create: () => client.posts.create({ content: 'x', saveAsDraft: true }), client };
}

describe('an outage fault', () => {
  it.each([
    ['unavailable', 'ServerError', 'unknown', 0],
    ['unavailable_after_commit', 'ServerError', 'unknown', 1],
    ['refused', 'ConnectionError', 'not_sent', 0],
  ] as const)('%s: a create ends in %s, %s', async (effect, name, outcome, posts) => {
    const { service, create } = serviceDown(effect);
    const error = await rejection(create());
    expect([(error as Error).name, outcomeOf(error)]).toEqual([name, outcome]);
    expect(service.posts).toHaveLength(posts);
    expect(service.requests.at(-1)?.faults).toEqual(['outage']);
  });

  it("lasts from one time of the emulator's clock to another, also in a stored state", async () => {
    const { service, create } = serviceDown('unavailable', { from: minutes(1), until: minutes(2) });
    await create();
    await service.clock.set(minutes(1));
    await rejection(create());
    const { fault } = service.faults.list()[0] ?? {};
    expect(fault).toMatchObject({ from: '2026-03-02T09:01:00.000Z', until: '2026-03-02T09:02:00.000Z' });
    const restored = createEmulator({
      accessKey: null,
      state: JSON.parse(JSON.stringify(service.snapshot().toJSON())) as never,
    });
    const reply = () => restored.fetch('/v1/posts/', { headers: { 'x-access-key': 'any' } });
    expect((await reply()).status).toBe(503);
    await restored.clock.set(minutes(2));
    expect((await reply()).status).toBe(200);
  });

  it('begins now and ends with its removal, unless it says otherwise; a route limits it', async () => {
    const { service, create, client } = serviceDown('unavailable', { route: 'POST /v1/posts/' });
    await service.clock.advance({ days: 30 });
    await rejection(create());
    await client.posts.list().toArray();
    service.faults.clear();
    await create();
  });

  it.each([
    [{ effect: 'down' }, "effect must be 'unavailable', 'unavailable_after_commit' or 'refused'"],
    [{ effect: 'refused', until: minutes(0) }, 'until must be later'],
    [{ effect: 'refused', from: minutes(2), until: minutes(1) }, 'until must be later'],
    [{ effect: 'refused', from: '2026-03-02T09:00' }, 'from'],
    [{ effect: 'refused', to: minutes(2) }, 'to'],
  ])('that could never apply is refused: %j', (fault, message) => {
    const service = createEmulator({ now: () => start });
    expect(() => service.faults.add({ kind: 'outage', ...fault } as never)).toThrow(message);
  });

  it('on a real socket: a refused connection is reset', async () => {
    const service = createEmulator({ accessKey: null });
    const served = await serveEmulator(service);
    try {
      service.faults.add({ kind: 'outage', effect: 'refused' });
      const client = new SocialPublishing({ baseUrl: served.url, accessKey: null, maxRetries: 0 });
      const error = await rejection(client.posts.create({ content: 'x', saveAsDraft: true }));
      expect([(error as Error).name, outcomeOf(error)]).toEqual(['ConnectionError', 'unknown']);
      expect(service.posts).toHaveLength(0);
    } finally {
      await served.close();
    }
  });
});
