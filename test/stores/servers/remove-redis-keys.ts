import { createClient } from 'redis';
import { serverUrl } from './server-url.js';

/** Removes the keys of a test run from Redis, by the start of their names. */
export async function removeRedisKeys(prefix: string): Promise<void> {
  const client = createClient({ url: serverUrl('REDIS_URL') });
  await client.connect();
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 }))
    if (keys.length > 0) await client.unlink(keys);
  await client.close();
}
