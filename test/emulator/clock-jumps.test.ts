/** Tests docs/testing.md: the clock moves between a lost reply and the search for its post. */
import { describe, expect, it } from 'vitest';
import { SocialPublishing } from '../../src/index.js';
import { createEmulator } from '../../src/emulator/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { start } from './world.js';

const draft = { content: 'Once', saveAsDraft: true } as const;

/** A service whose next create is executed while its reply is lost, and a search for the post a day later. */
function lostReply(withItsClock: boolean) {
  const service = createEmulator({ accessKey: 'key', now: () => start });
  const clock = withItsClock ? { now: () => service.clock.now() } : {};
  const client = new SocialPublishing({
    baseUrl: 'https://emulator.test',
    accessKey: 'key',
    fetch: service.fetch,
    maxRetries: 0,
    ...clock,
  });
  const publisher = createPublisher({ client, store: new MemoryDurableStore(), ...clock });
  service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 });
  service.faults.add({ route: 'GET /v1/posts/', kind: 'reset_before', times: 3 });
  return { service, client, publisher };
}

describe('a post whose reply was lost before the clock was moved by a day', () => {
  it.each([
    ['is found with the clock of the emulator', true, 'created'],
    ['may be missed by the real time', false, 'not_found'],
  ] as const)('%s, by reconcile', async (_, withItsClock, status) => {
    const { service, client } = lostReply(withItsClock);
    const error: unknown = await client.posts.create(draft).catch((reason: unknown) => reason);
    service.faults.clear();
    await service.clock.advance({ days: 1 });
    expect(await client.posts.reconcile(error as object)).toMatchObject({ status });
  });

  it.each([
    ['is found with the clock of the emulator', true, 'accepted'],
    ['may be missed by the real time', false, 'in_doubt'],
  ] as const)('%s, by the publisher', async (_, withItsClock, state) => {
    const { service, publisher } = lostReply(withItsClock);
    expect(await publisher.publish('key', draft)).toMatchObject({ state: 'in_doubt' });
    service.faults.clear();
    await service.clock.advance({ days: 1 });
    expect(await publisher.resume('key')).toMatchObject({ state });
    expect(service.posts).toHaveLength(1);
  });
});
