/** A publisher on D1 and a webhook inbox on a Durable Object, in one Cloudflare Worker. */
import { SocialPublishing, type PublishPostBody } from 'social-publishing';
import { createPublisher, type Publisher } from 'social-publishing/publisher';
import { SqliteStore, type D1Database, type DurableObjectStorage } from 'social-publishing/stores/sqlite';
import { createWebhookInbox, type WebhookInbox } from 'social-publishing/webhooks';

/** The bindings of wrangler.jsonc, and the secrets. */
interface Env {
  readonly DB: D1Database;
  readonly EVENTS: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
  readonly SOCIAL_PUBLISHING_BASE_URL: string;
  readonly SOCIAL_PUBLISHING_ACCESS_KEY: string;
  readonly WEBHOOK_SECRET: string;
  readonly PUBLISH_TOKEN: string;
}

function publisherOf(env: Env): Publisher {
  const client = new SocialPublishing({
    baseUrl: env.SOCIAL_PUBLISHING_BASE_URL,
    accessKey: env.SOCIAL_PUBLISHING_ACCESS_KEY,
  });
  return createPublisher({ client, store: new SqliteStore(env.DB) });
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/webhooks') return env.EVENTS.get(env.EVENTS.idFromName('events')).fetch(request);
    if (!pathname.startsWith('/posts/')) return new Response('not found', { status: 404 });
    // Replace this with the authentication of your application.
    if (request.headers.get('authorization') !== `Bearer ${env.PUBLISH_TOKEN}`)
      return new Response('unauthorized', { status: 401 });
    const key = decodeURIComponent(pathname.slice('/posts/'.length));
    const publisher = publisherOf(env);
    // The same PUT again returns the same intent. If the Worker ends before it answers, repeat the request.
    const intent =
      request.method === 'PUT'
        ? await publisher.publish(key, (await request.json()) as PublishPostBody) // publish checks it
        : await publisher.get(key);
    return intent === undefined ? new Response('not found', { status: 404 }) : Response.json(intent);
  },

  /** The cron trigger: resumes the intents that a crash or a rate limit left. */
  async scheduled(_event: unknown, env: Env): Promise<void> {
    await new SqliteStore(env.DB).setup();
    // While the service is down, a sweep waits: it ends before the next run, which continues.
    await publisherOf(env).sweep({ limit: 20, signal: AbortSignal.timeout(40_000) });
  },
};

/** Stores each event before it is acknowledged, and handles it in an alarm, which Cloudflare repeats after a crash. */
export class Events {
  readonly #storage: AlarmStorage;
  readonly #inbox: WebhookInbox;

  constructor(context: Context, env: Env) {
    this.#storage = context.storage;
    const store = new SqliteStore(context.storage);
    void context.blockConcurrencyWhile(() => store.setup());
    const publisher = publisherOf(env);
    this.#inbox = createWebhookInbox({
      secret: env.WEBHOOK_SECRET,
      store,
      on: { default: (event) => publisher.observe(event) },
    });
  }

  async fetch(request: Request): Promise<Response> {
    // Before the event is stored: a crash between the two must not leave an event without an alarm.
    await this.#wakeAt(Date.now() + 500);
    const response = await this.#inbox.fetch(request);
    // The alarm may have gone off before the whole body was there.
    await this.#wakeAt(Date.now() + 500);
    return response;
  }

  async alarm(): Promise<void> {
    const running = this.#inbox.start({ concurrency: 4, pollMs: 100 });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await running.stop();
    for await (const { dueAt } of this.#inbox.list({ state: 'waiting' })) {
      await this.#wakeAt(Math.max(Date.now() + 1_000, Date.parse(dueAt ?? '') || 0));
      return;
    }
  }

  /** An object has one alarm: a later time must not replace an earlier one. */
  async #wakeAt(time: number): Promise<void> {
    const set = await this.#storage.getAlarm();
    if (set === null || set > time) await this.#storage.setAlarm(time);
  }
}

interface AlarmStorage extends DurableObjectStorage {
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
}

/** The first argument of a Durable Object. */
interface Context {
  readonly storage: AlarmStorage;
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>;
}
