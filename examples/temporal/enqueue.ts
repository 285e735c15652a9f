/**
 * Writes the intents of a campaign, and starts a workflow for each. Run it again at any time, also after a crash: existing
 * intents and workflows stay unchanged. An intent with another body ends it with an IntentConflictError.
 *
 * npx tsx examples/temporal/enqueue.ts campaign-42 100 ACCOUNT_1 ACCOUNT_2
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { targetOf } from 'social-publishing';
import { client, connect, pool, publisher, taskQueue } from './app.js';
import { publishPost } from './workflows.js';

const [campaign = 'campaign-1', count = '10', ...accountIds] = process.argv.slice(2);
const temporal = await connect();
const accounts = await Promise.all(accountIds.map((id) => client.integrations.get(id)));
const platforms = accounts.map(targetOf);

for (let i = 1; i <= Number(count); i += 1) {
  const key = `${campaign}:${String(i)}`;
  // Write the intent first: a workflow without an intent would fail, but a sweep finds an intent without a workflow.
  await publisher.enqueue(key, { content: `${campaign}, post ${String(i)}`, publishNow: true, platforms });
  await start(key);
}
console.log(`${campaign}: ${count} intents are queued`);
await temporal.connection.close();
await pool.end();

/** The workflow's ID is the key: a second workflow for it is not started. */
async function start(key: string): Promise<void> {
  try {
    await temporal.workflow.start(publishPost, {
      ...{ workflowId: key, taskQueue, args: [key] },
      ...{ workflowIdReusePolicy: 'REJECT_DUPLICATE', workflowIdConflictPolicy: 'FAIL' },
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
