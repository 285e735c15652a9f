/** A webhook receiver as a Next.js route handler: app/webhooks/route.ts. */
// docs: start
import { createWebhookReceiver, type WebhookReceiver } from 'social-publishing/webhooks';

let receiver: WebhookReceiver | undefined; // created on first use, because a build loads this file without the secret

export function POST(request: Request): Promise<Response> {
  receiver ??= createWebhookReceiver({
    secret: process.env.WEBHOOK_SECRET ?? '',
    on: {
      default: (event) => {
        console.log(event.type, event.id);
      },
    },
  });
  return receiver.fetch(request);
}
// docs: end
