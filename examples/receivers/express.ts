/**
 * A webhook receiver in Express 5. It needs one package: `npm install express`.
 *
 *     WEBHOOK_SECRET=whsec_... PORT=3000 npx tsx examples/receivers/express.ts
 */
// docs: start
import express from 'express';
import { createWebhookReceiver } from 'social-publishing/webhooks';

const receiver = createWebhookReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  on: {
    default: (event) => {
      console.log(event.type, event.id);
    },
  },
});
const app = express();
app.post('/webhooks', receiver.node); // before app.use(express.json()): the signature is over the raw bytes
app.use(express.json());
const server = app.listen(Number(process.env.PORT ?? 3000), () => {
  console.log('listening', server.address());
});
// docs: end
