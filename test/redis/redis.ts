import { Redis } from 'ioredis';
import { createClient } from 'redis';

/** The URL of the Redis of this run. `npm run test:redis` starts one. */
export function redisUrl(): string {
  const url = process.env.REDIS_URL;
  if (url === undefined) throw new Error('REDIS_URL is not set: run npm run test:redis.');
  return url;
}

/** A connected client of the npm package `redis`. */
export async function connectNodeRedis() {
  const client = createClient({ url: redisUrl() });
  await client.connect();
  return client;
}

/** A client of the npm package `ioredis`. */
export function connectIoRedis(): Redis {
  return new Redis(redisUrl());
}
