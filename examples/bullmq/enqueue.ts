/**
 * Writes the intents of a campaign, and queues a job for each. Run it again at any time, also after a crash: what is
 * there already stays as it is.
 *
 *     npx tsx examples/bullmq/enqueue.ts campaign-42 100
 */
import { isKnownPlatform } from 'social-publishing';
import { client, close, intents, jobOf, publisher } from './app.js';

const [campaign = 'campaign-1', count = '10'] = process.argv.slice(2);
const { items: accounts } = await client.integrations.list();
const platforms = accounts
  .flatMap(({ id, platform = '' }) => (isKnownPlatform(platform) ? [{ platform, accountId: id }] : []))
  .slice(0, 2);

for (let i = 1; i <= Number(count); i += 1) {
  const key = `${campaign}:${String(i)}`;
  // The intent first: a job without an intent would fail, and an intent without a job is found by the sweep.
  await publisher.enqueue(key, { content: `${campaign}, post ${String(i)}`, publishNow: true, platforms });
  await intents.add('publish', { key }, jobOf(key));
}
console.log(`${campaign}: ${count} intents are queued`);
await close();
