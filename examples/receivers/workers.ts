/** A webhook receiver as a Cloudflare Worker. `WEBHOOK_SECRET` is a secret of the Worker. */
// docs: start
import { createWebhookReceiver, type WebhookReceiver } from 'social-publishing/webhooks';

let receiver: WebhookReceiver | undefined;

export default {
  fetch(request: Request, env: { WEBHOOK_SECRET: string }, context: unknown): Promise<Response> {
    receiver ??= createWebhookReceiver({
      secret: env.WEBHOOK_SECRET,
      on: {
        default: (event) => {
          console.log(event.type, event.id);
        },
      },
    });
    return receiver.fetch(request, context); // with the context, a slow handler continues after the reply
  },
};
// docs: end
