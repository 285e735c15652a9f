/**
 * A webhook receiver in Fastify 5. It needs one package: `npm install fastify`.
 *
 *     WEBHOOK_SECRET=whsec_... PORT=3000 npx tsx examples/receivers/fastify.ts
 */
// docs: start
import Fastify from 'fastify';
import { createWebhookReceiver } from 'social-publishing/webhooks';

const receiver = createWebhookReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  on: {
    default: (event) => {
      console.log(event.type, event.id);
    },
  },
});
const app = Fastify();
await app.register((webhooks, _options, done) => {
  webhooks.removeAllContentTypeParsers(); // only in this scope: the receiver reads the raw body itself
  webhooks.addContentTypeParser('*', (_request, _body, parsed) => {
    parsed(null);
  });
  webhooks.post('/webhooks', (request, reply) => receiver.node(request.raw, reply.hijack().raw));
  done();
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log('listening', app.server.address());
// docs: end
