/**
 * Receives the webhook: the inbox writes each event down, answers, and hands it to the queue of events.
 *
 *     WEBHOOK_SECRET=whsec_... PORT=3000 npx tsx examples/bullmq/receiver.ts
 */
import { createServer } from 'node:http';
import { createWebhookInbox } from 'social-publishing/webhooks';
import { client, close, events, jobOf, leaseMs, store } from './app.js';

const inbox = createWebhookInbox({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  leaseMs,
  // All that a handler does here: the queue retries from now on.
  on: { default: (event) => events.add(event.type, event, jobOf(event.id)) },
});
const server = createServer((request, response) => void inbox.node(request, response));
const running = inbox.start();
server.listen(Number(process.env.PORT ?? 3000), () => {
  console.log('listening', server.address());
});
// What became final while nobody listened. At every start; an hour is more than a deploy takes.
await inbox.catchUp({ client, since: new Date(Date.now() - 3_600_000) });

process.on('SIGTERM', () => {
  server.close();
  void running.stop().then(close);
});
