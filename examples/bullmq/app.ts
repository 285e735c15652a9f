/**
 * The shared parts of this example: the client, the intents, and two BullMQ queues on one Redis. The example needs two
 * packages: `npm install bullmq ioredis`.
 */
import { createHash } from 'node:crypto';
import { Queue, type JobsOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { SocialPublishing } from 'social-publishing';
import { createPublisher } from 'social-publishing/publisher';
import { RedisStore } from 'social-publishing/stores/redis';
import type { InboxEvent } from 'social-publishing/webhooks';

const url = checkedUrl(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
/** A Redis that accepts a command and never replies must not block the program. */
const commandTimeout = 5_000;
const prefix = process.env.QUEUE_PREFIX ?? 'campaigns';

/** How long a job and an intent belong to a worker that may have died. */
export const leaseMs = Number(process.env.LEASE_MS ?? 60_000);

/**
 * Options of BullMQ workers: their keys start with the prefix, like the store's. There is no time limit, because they
 * let Redis wait for a job.
 */
export const bull = { connection: { url }, prefix };
const adding = { connection: { url, commandTimeout }, prefix };
export const intents = new Queue<{ key: string }>('intents', adding);
export const events = new Queue<InboxEvent>('events', adding);

const redis = new Redis(url, { commandTimeout });
redis.on('error', (error) => {
  console.error(error.message);
});
export const store = new RedisStore(redis, { prefix: `${prefix}:durable:` });
export const client = new SocialPublishing(); // SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY
export const publisher = createPublisher({ client, store, leaseMs });

/**
 * Returns job options with the hash of a key as ID, because BullMQ refuses IDs with a colon. A queued job is not queued
 * twice.
 */
export function jobOf(key: string): JobsOptions {
  return {
    jobId: createHash('sha256').update(key).digest('hex'),
    attempts: 20,
    backoff: { type: 'exponential', delay: 1000 },
    // Finished jobs are removed: the intent keeps the result, and resuming it again is safe.
    removeOnComplete: true,
    removeOnFail: true,
  };
}

export async function close(): Promise<void> {
  await Promise.all([intents.close(), events.close()]);
  redis.disconnect();
}

/** Node and ioredis would show the password of an invalid URL in their messages. */
function checkedUrl(given: string): string {
  if (URL.canParse(given) && /^rediss?:/.test(given)) return given;
  throw new Error('REDIS_URL must be redis://user:password@host:port; in a password, # is %23 and / is %2F.');
}
