/**
 * A webhook receiver in Hono, here on Node. On Bun, Deno and Workers the route is the same; there you export `app`.
 * On Node, it needs two packages: `npm install hono @hono/node-server`.
 *
 * WEBHOOK_SECRET=whsec_... PORT=3000 npx tsx examples/receivers/hono.ts
 */
// docs: start
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createWebhookReceiver } from 'social-publishing/webhooks';

const receiver = createWebhookReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  on: {
    default: (event) => {
      console.log(event.type, event.id);
    },
  },
});
const app = new Hono();
app.post('/webhooks', (context) => receiver.fetch(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, (address) => {
  console.log('listening', address);
});
// docs: end
