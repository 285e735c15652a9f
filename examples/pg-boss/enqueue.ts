/**
 * Writes the intents of a campaign, and queues a job for each. Run it again at any time, also after a crash: existing
 * intents stay unchanged. It exits with 2 if they have other accounts than now.
 *
 * npx tsx examples/pg-boss/enqueue.ts campaign-42 100 ACCOUNT_1 ACCOUNT_2
 *
 * Without accounts, it uses the first two by ID. They may change when another account is connected.
 */
import { isKnownPlatform, targetOf } from 'social-publishing';
import { IntentConflictError } from 'social-publishing/publisher';
import { boss, client, close, jobOf, open, publisher } from './app.js';

const [campaign = 'campaign-1', count = '10', ...named] = process.argv.slice(2);
await open();
const accounts =
  named.length > 0
    ? await Promise.all(named.map((id) => client.integrations.get(id)))
    : (await client.integrations.list({ limit: 100 }).toArray()).filter(({ platform }) => isKnownPlatform(platform));
// The same body in each run, regardless of the order of the accounts.
accounts.sort((a, b) => (a.id < b.id ? -1 : 1));
const platforms = (named.length > 0 ? accounts : accounts.slice(0, 2)).map(targetOf);

for (let i = 1; i <= Number(count); i += 1) {
  const key = `${campaign}:${String(i)}`;
  // Write the intent first: a job without an intent would fail, but a sweep finds an intent without a job.
  try {
    await publisher.enqueue(key, { content: `${campaign}, post ${String(i)}`, publishNow: true, platforms });
  } catch (error) {
    if (!(error instanceof IntentConflictError)) throw error;
    console.error(`${key} is there already, with another body: it stays as it is`);
    process.exitCode = 2;
  }
  await boss.send('intents', { key }, jobOf(key));
}
console.log(`${campaign}: ${count} intents are queued`);
await close();
