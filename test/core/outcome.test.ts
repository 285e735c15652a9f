import { describe, expect, it } from 'vitest';
import { InvalidRequestError, outcomeOf, SocialPublishing, type CreatePostBody } from '../../src/index.js';
import { createEmulator } from '../../src/emulator/index.js';
import { rejection } from '../policies/client.js';

function world() {
  const service = createEmulator();
  const client = new SocialPublishing({
    baseUrl: 'https://emulator.test',
    accessKey: 'test-key',
    fetch: service.fetch,
  });
  return { service, client };
}

const draft: CreatePostBody = { content: 'Hello', saveAsDraft: true };

describe('outcomeOf', () => {
  it('is the outcome of an error of this package', async () => {
    const { service, client } = world();
    service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 400, times: 1 });
    expect(outcomeOf(await rejection(client.posts.create(draft)))).toBe('rejected');
    service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 });
    expect(outcomeOf(await rejection(client.posts.create(draft)))).toBe('unknown');
    expect(outcomeOf(new InvalidRequestError([]))).toBe('not_sent');
  });

  it('is unknown for the reason of a create that was aborted in flight', async () => {
    const { service, client } = world();
    service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs: 3_600_000 });
    const controller = new AbortController();
    const creating = rejection(client.posts.create(draft, { signal: controller.signal }));
    await expect.poll(() => service.requests.length).toBe(1);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await creating).toBe(reason);
    expect(outcomeOf(reason)).toBe('unknown');
  });

  it('is not_sent for the reason of a create that was aborted before it was sent', async () => {
    const { client } = world();
    const reason = { why: 'enough' };
    expect(await rejection(client.posts.create(draft, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(outcomeOf(reason)).toBe('not_sent');
  });

  it('is the worst outcome of all calls that one reason ended', async () => {
    const { service, client } = world();
    service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs: 3_600_000 });
    const controller = new AbortController();
    const creating = rejection(client.posts.create(draft, { signal: controller.signal }));
    await expect.poll(() => service.requests.length).toBe(1);
    controller.abort();
    const reason: unknown = await creating;
    await rejection(client.posts.create(draft, { signal: controller.signal }));
    expect(outcomeOf(reason)).toBe('unknown');
  });

  it.each([undefined, null, 'enough', 5, new Error('of another program'), {}])('is undefined for %j', (value) => {
    expect(outcomeOf(value)).toBeUndefined();
  });
});
