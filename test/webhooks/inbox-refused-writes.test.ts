import { expect, it } from 'vitest';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { createWebhookInbox, signWebhook } from '../../src/webhooks/index.js';
import { refusingStore } from '../support/stores.js';
import { eventually } from '../support/eventually.js';

const secret = 'whsec_of_an_inbox_that_waits';

it('handles an acknowledged event once the store takes writes again', async () => {
  const { store, refuse } = refusingStore(new MemoryDurableStore());
  const handled: string[] = [];
  const inbox = createWebhookInbox({
    secret,
    store,
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

  refuse(3);
  const worker = inbox.start({ pollMs: 5 });
  await eventually(() => {
    expect(handled).toEqual(['event_1']);
  });
  await worker.stop();
});
