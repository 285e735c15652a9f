import { expect, it, vi } from 'vitest';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { openTransaction } from '../../src/stores/postgres-failure.js';
import type { DurableStore } from '../../src/stores/store.js';
import { createWebhookInbox, signWebhook } from '../../src/webhooks/index.js';

const secret = 'whsec_of_an_inbox_that_waits';

it('handles an acknowledged event once the store takes writes again', async () => {
  const store = new MemoryDurableStore();
  let refusals = 0;
  const guard = async <T>(write: () => Promise<T>): Promise<T> => {
    refusals -= 1;
    if (refusals >= 0) throw openTransaction();
    return write();
  };
  const guarded: DurableStore = {
    get: (key) => store.get(key),
    due: (...query) => store.due(...query),
    scan: (...query) => store.scan(...query),
    insert: (...item) => guard(() => store.insert(...item)),
    swap: (...item) => guard(() => store.swap(...item)),
  };
  const handled: string[] = [];
  const inbox = createWebhookInbox({
    secret,
    store: guarded,
    on: { default: (event) => void handled.push(event.id) },
    onError: () => undefined,
  });
  const body = JSON.stringify({
    id: 'event_1',
    type: 'post.published',
    data: { post: { id: 'post_1' }, platforms: [] },
  });
  const headers = await signWebhook({ body, secret });
  const reply = await inbox.fetch(new Request('https://inbox.test/', { method: 'POST', body, headers }));
  expect(reply.status).toBe(200);

  refusals = 3;
  const worker = inbox.start({ pollMs: 5 });
  await vi.waitFor(() => {
    expect(handled).toEqual(['event_1']);
  });
  await worker.stop();
});
