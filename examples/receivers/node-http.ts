/**
 * A webhook receiver with only Node.
 *
 * WEBHOOK_SECRET=whsec_... PORT=3000 npx tsx examples/receivers/node-http.ts
 */
// docs: start
import { createServer } from 'node:http';
import { createWebhookReceiver } from 'social-publishing/webhooks';

const receiver = createWebhookReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  on: {
    default: (event) => {
      console.log(event.type, event.id);
    },
  },
});
const server = createServer((request, response) => void receiver.node(request, response));
server.listen(Number(process.env.PORT ?? 3000), () => {
  console.log('listening', server.address());
});
// docs: end
