import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { SocialPublishing, targetOf } from '../../../src/index.js';
import { createWebhookReceiver } from '../../../src/webhooks/index.js';

/** Wednesday, at ten in Berlin. */
export const start = Date.parse('2027-03-10T09:00:00Z');

export interface World {
  readonly service: Emulator;
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** An emulator with its console, on a real socket. */
export async function serveWorld(fill: (service: Emulator) => void): Promise<World> {
  const service = createEmulator({ accessKey: 'console-test-key', now: () => start });
  fill(service);
  const served = await serveEmulator(service, { console: true });
  return { service, url: `${served.url}/`, close: () => served.close() };
}

/** Three accounts, and a platform on which every publication fails. */
export function threeAccounts(service: Emulator): void {
  for (const platform of ['instagram', 'facebook', 'tiktok'] as const)
    service.seed.integration({ platform, username: `acme.${platform}`, displayName: 'Acme' });
  service.publishing.outcome({ platform: 'tiktok', error: 'The video is missing' });
}

/** A client of another program than the page. */
export function clientOf({ url }: World): SocialPublishing {
  return new SocialPublishing({ baseUrl: url, accessKey: 'console-test-key', maxRetries: 0 });
}

/** Schedules a post to all accounts, by default an hour after the start. Returns its ID. */
export async function schedulePost(world: World, content: string, at = start + 3_600_000): Promise<string> {
  const client = clientOf(world);
  const platforms = (await client.integrations.list().toArray()).map(targetOf);
  return (await client.posts.create({ content, platforms, scheduledFor: new Date(at) })).postId;
}

export interface Receiver {
  readonly url: string;
  /** The event types that were handled. */
  readonly handled: string[];
  /** The status that each delivery was answered with. */
  readonly statuses: number[];
  secret: string;
  readonly close: () => Promise<void>;
}

/** A team's own receiver, by the emulator's clock. */
export async function startReceiver(now: () => number): Promise<Receiver> {
  const handled: string[] = [];
  const statuses: number[] = [];
  const receive = createWebhookReceiver({
    secret: () => receiver.secret,
    now,
    on: {
      default: (event) => {
        handled.push(event.type);
      },
    },
  });
  // A paused client must not lose its next request: only the client closes idle connections.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    response.on('finish', () => statuses.push(response.statusCode));
    void receive.node(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/webhooks`,
    handled,
    statuses,
    secret: 'not told yet',
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
  return receiver;
}
