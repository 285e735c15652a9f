/** What the programs of this example share: the client, the intents, and two queues of BullMQ on one Redis. */
import { createHash } from 'node:crypto';
import { Queue, type JobsOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { SocialPublishing } from 'social-publishing';
import { createPublisher } from 'social-publishing/publisher';
import { RedisStore } from 'social-publishing/stores/redis';
import type { InboxEvent } from 'social-publishing/webhooks';

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const prefix = process.env.QUEUE_PREFIX ?? 'campaigns';

/** For how long a job and an intent belong to a worker that may have died. */
export const leaseMs = Number(process.env.LEASE_MS ?? 60_000);

/** What BullMQ is told everywhere. Its keys start with the prefix, as the store's do. */
export const bull = { connection: { url }, prefix };
export const intents = new Queue<{ key: string }>('intents', bull);
export const events = new Queue<InboxEvent>('events', bull);

const redis = new Redis(url);
export const store = new RedisStore(redis, { prefix: `${prefix}:durable:` });
export const client = new SocialPublishing(); // SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY
export const publisher = createPublisher({ client, store, leaseMs });

/** A job under the hash of a key: BullMQ refuses IDs with a colon. A job that is queued already is not queued twice. */
export function jobOf(key: string): JobsOptions {
  return {
    jobId: createHash('sha256').update(key).digest('hex'),
    attempts: 20,
    backoff: { type: 'exponential', delay: 1000 },
    // A job is forgotten when it is done: the intent is what is remembered, and resuming it again is safe.
    removeOnComplete: true,
    removeOnFail: true,
  };
}

export async function close(): Promise<void> {
  await Promise.all([intents.close(), events.close()]);
  redis.disconnect();
}
