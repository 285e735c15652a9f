/**
 * Sends a signed event to a receiver, as the service does, and prints the reply.
 *
 * WEBHOOK_SECRET=whsec_... npx tsx examples/receivers/deliver.ts http://localhost:3000/webhooks
 */
import { randomUUID } from 'node:crypto';
import { signWebhook } from 'social-publishing/webhooks';

const url = process.argv[2] ?? 'http://localhost:3000/webhooks';
const body = JSON.stringify({
  version: '1',
  id: `evt_${randomUUID()}`,
  type: 'post.published',
  createdAt: new Date().toISOString(),
  data: { post: { id: 'post_1', status: 'published', content: 'Hello' }, platforms: [] },
});
const headers = await signWebhook({ body, secret: process.env.WEBHOOK_SECRET ?? '' });
const response = await fetch(url, { method: 'POST', headers, body });
console.log(response.status, await response.text());
