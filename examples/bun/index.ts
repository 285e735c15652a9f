/** A publisher and a webhook inbox on one file, for Bun: `bun run index.ts`. */
import { Database } from 'bun:sqlite';
import { SocialPublishing, type PublishPostBody } from 'social-publishing';
import { createPublisher } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import { createWebhookInbox } from 'social-publishing/webhooks';

const database = new Database(process.env['DATABASE'] ?? 'publishing.db');
database.exec('PRAGMA journal_mode = WAL');
database.exec('PRAGMA synchronous = FULL');
const store = new SqliteStore(database);
await store.setup();

const client = new SocialPublishing(); // SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY
const publisher = createPublisher({ client, store, leaseMs: Number(process.env['LEASE_MS'] ?? 60_000) });
const inbox = createWebhookInbox({
  secret: process.env['WEBHOOK_SECRET'] ?? '',
  store,
  on: { default: (event) => publisher.observe(event) },
});
inbox.start();

const sweep = () => {
  publisher.sweep().catch((error: unknown) => {
    console.error(error);
  });
};
sweep(); // what a crash left
setInterval(sweep, Number(process.env['SWEEP_MS'] ?? 60_000));

/** Bun serves the default export. */
export default {
  hostname: '127.0.0.1', // put a proxy with TLS and authentication before it
  port: Number(process.env['PORT'] ?? 3000),
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/webhooks') return inbox.fetch(request);
    if (request.method !== 'PUT' || !pathname.startsWith('/posts/')) return new Response('not found', { status: 404 });
    const key = decodeURIComponent(pathname.slice('/posts/'.length));
    // publish checks the body.
    return Response.json(await publisher.publish(key, (await request.json()) as PublishPostBody));
  },
};
