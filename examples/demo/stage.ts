import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createEmulator, type Emulator } from 'social-publishing/emulator';
import { serveEmulator } from 'social-publishing/emulator/node';
import { verifyWebhook, WebhookVerificationError, type WebhookEvent } from 'social-publishing/webhooks';

export const accessKey = 'demo-access-key';

/** A webhook receiver: it verifies each delivery and keeps the events. */
interface Receiver {
  readonly url: string;
  readonly events: WebhookEvent[];
  readonly refused: string[];
  /** The signing secret, once the subscription has returned it. */
  secret: string | undefined;
  close(): void;
}

/** Listens on a free port of this computer. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts the receiver. `now` is the service's clock, which runs ahead of the real one in this demo. */
async function startReceiver(now: () => number): Promise<Receiver> {
  const events: WebhookEvent[] = [];
  const refused: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      try {
        if (receiver.secret === undefined) throw new Error('no secret yet');
        const body = await buffer(request);
        events.push(await verifyWebhook({ body, headers: request.headers, secret: receiver.secret, now }));
        response.writeHead(204).end();
      } catch (error) {
        refused.push(error instanceof WebhookVerificationError ? error.code : String(error));
        response.writeHead(400).end();
      }
    })();
  });
  const port = await listen(server);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${String(port)}/webhooks`,
    events,
    refused,
    secret: undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}

/** All parts of the demo. */
export type Stage = Awaited<ReturnType<typeof startStage>>;

/** Starts the emulator on a socket, with typical data of a user, and a receiver. */
export async function startStage({ console = false }: { readonly console?: boolean } = {}) {
  const service = createEmulator({ accessKey });
  const tiktok = service.seed.integration({ platform: 'tiktok', username: 'acme.clips', displayName: 'Acme Clips' });
  const facebook = service.seed.selection({
    platform: 'facebook',
    accounts: [
      { id: 'page_1', username: 'acme', displayName: 'Acme' },
      { id: 'page_2', username: 'acme.jobs', displayName: 'Acme Jobs' },
    ],
  });
  const instagram = service.seed.selection({
    platform: 'instagram',
    accounts: [{ id: 'ig_1', username: 'acme', displayName: 'Acme' }],
  });
  service.publishing.outcome({ platform: 'tiktok', error: 'The video is missing' });
  const served = await serveEmulator(service, { console });
  const receiver = await startReceiver(() => service.clock.now());
  const close = async () => {
    receiver.close();
    await served.close();
  };
  return { service, served, receiver, tiktok, facebookToken: facebook.token, instagramToken: instagram.token, close };
}

const comments = [
  ['Ada', 'Love this!', 'Thank you!'],
  ['Björn', 'When can I buy it?', 'Tomorrow at nine.'],
  ['Chidi', 'Is it blue?', undefined],
  ['Dina', 'First!', undefined],
  ['Ester', 'Shipping to Norway?', 'Yes, free of charge.'],
] as const;

const dayMs = 86_400_000;
const days = 30;

/** Adds reactions to the published post: comments, a message, metrics. */
export function letTheWorldReact(service: Emulator, accountId: string, postId: string, platformPostId: string): void {
  // The service lists the newest first: of one instant, the last written one.
  for (const [name, text, reply] of [...comments].reverse()) {
    const replies = reply === undefined ? [] : [{ text: reply, author: { name: 'Acme' } }];
    service.seed.comment({ accountId, postId: platformPostId, text, author: { name }, replies });
  }
  const participants = [{ id: 'customer_1', name: 'Farid', username: 'farid' }];
  const conversation = service.seed.conversation({ accountId, participants });
  service.seed.message({ accountId, conversationId: conversation.id, text: 'Hi, is the blue one back?' });
  service.seed.metrics({ postId, metrics: { impressions: 4210, reach: 3105, likes: 218, comments: 5, shares: 31 } });
  for (let day = 0; day <= days; day += 1) {
    const at = new Date(service.clock.now() - day * dayMs);
    // Weekends are quieter.
    const weekday = [0, 6].includes(at.getUTCDay()) ? 0.45 : 1;
    const reach = Math.round((900 + 400 * Math.sin(day / 4) + (day < 2 ? 900 : 0)) * weekday);
    service.seed.metrics({ accountId, date: at.toISOString().slice(0, 10), metrics: { reach } });
  }
}
