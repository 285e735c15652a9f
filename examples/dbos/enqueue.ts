/**
 * Writes the intents of a campaign, each in one transaction with its workflow. Run it again at any time, also after a
 * crash: existing intents and workflows stay unchanged. It exits with 2 if they have other accounts than now.
 *
 * npx tsx examples/dbos/enqueue.ts campaign-42 100 ACCOUNT_1 ACCOUNT_2
 *
 * Without accounts, it uses the first two by ID. They may change when another account is connected.
 */
import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import { isKnownPlatform, targetOf, type PublishPostBody } from 'social-publishing';
import { IntentConflictError } from 'social-publishing/publisher';
import { client, connect, pool, publisher, queueName, workflowName } from './app.js';

const [campaign = 'campaign-1', count = '10', ...named] = process.argv.slice(2);
const dbos = await connect();
const accounts =
  named.length > 0
    ? await Promise.all(named.map((id) => client.integrations.get(id)))
    : (await client.integrations.list({ limit: 100 }).toArray()).filter(({ platform }) => isKnownPlatform(platform));
// The same body in each run, regardless of the order of the accounts.
accounts.sort((a, b) => (a.id < b.id ? -1 : 1));
const platforms = (named.length > 0 ? accounts : accounts.slice(0, 2)).map(targetOf);

for (let i = 1; i <= Number(count); i += 1) {
  const key = `${campaign}:${String(i)}`;
  try {
    await enqueue(dbos, key, { content: `${campaign}, post ${String(i)}`, publishNow: true, platforms });
  } catch (error) {
    if (!(error instanceof IntentConflictError)) throw error;
    console.error(`${key} is there already, with another body: it stays as it is`);
    process.exitCode = 2;
  }
}
console.log(`${campaign}: ${count} intents are queued`);
await dbos.destroy();
await pool.end();

/** The workflow's ID is the key: a second workflow for it is not created. */
async function enqueue(engine: DBOSClient, key: string, body: PublishPostBody): Promise<void> {
  const tx = await pool.connect();
  try {
    await tx.query('BEGIN');
    await publisher.enqueue(key, body, { within: tx });
    await engine.enqueueInTransaction(tx, { queueName, workflowName, workflowID: key }, key);
    await tx.query('COMMIT');
  } catch (error) {
    await tx.query('ROLLBACK');
    throw error;
  } finally {
    tx.release();
  }
}
