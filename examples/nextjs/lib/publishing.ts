/**
 * The shared parts of the routes: the publisher and the inbox, on Upstash Redis. They need one package:
 * `npm install @upstash/redis`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from '@upstash/redis';
import { SocialPublishing } from 'social-publishing';
import { createPublisher, type Publisher } from 'social-publishing/publisher';
import { RedisStore } from 'social-publishing/stores/redis';
import { createWebhookInbox, type WebhookInbox } from 'social-publishing/webhooks';

interface Publishing {
  readonly publisher: Publisher;
  readonly inbox: WebhookInbox;
}

let made: Publishing | undefined;

/** Creates them at the first request: a build loads this file without the environment variables. */
export function publishing(): Publishing {
  made ??= make();
  return made;
}

function make(): Publishing {
  const redis = Redis.fromEnv(); // UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN
  const store = new RedisStore(redis, { prefix: process.env['REDIS_PREFIX'] ?? 'social-publishing:' });
  const client = new SocialPublishing(); // SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY
  const publisher = createPublisher({ client, store });
  const inbox = createWebhookInbox({
    secret: process.env.WEBHOOK_SECRET ?? '',
    store,
    on: { default: (event) => publisher.observe(event) },
  });
  return { publisher, inbox };
}

/** Handles due events for a time: a function on Vercel has no background. Later events wait for the next call. */
export async function handleDueEvents(forMs: number): Promise<void> {
  const running = publishing().inbox.start({ concurrency: 4, pollMs: 500 });
  await sleep(forMs);
  await running.stop();
}
