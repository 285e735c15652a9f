/**
 * Runs the workflows. Start and kill any number of workers, each with a different ID.
 *
 * npx tsx examples/dbos/worker.ts worker-1
 */
import { DBOS } from '@dbos-inc/dbos-sdk';
import type { IntentState } from 'social-publishing/publisher';
import { configOf, leaseMs, pool, publisher, queueName, sendingQueue, setup, topic, workflowName } from './app.js';

const finalStates: readonly IntentState[] = ['published', 'partial', 'failed', 'abandoned'];
const longestPauseSeconds = 3_600;

/**
 * Sends the intent, searches for its post, or reads its state. DBOS runs the step again after a crash, and the post is
 * published once. The retries are for errors of the store: errors of the service are states of the intent.
 */
function resume(key: string): Promise<IntentState> {
  return DBOS.runStep(async () => (await publisher.resume(key)).state, {
    name: 'resume',
    retriesAllowed: true,
    maxAttempts: 10,
  });
}

/** A workflow for the first send: its queue limits how many run at once. */
const sendPost = DBOS.registerWorkflow(resume, { name: 'sendPost', maxRecoveryAttempts: 1_000 });

/**
 * The workflow of a post. It ends with the final state of the post. An intent that is `in_doubt` or `rejected` waits here
 * for the operator's `publisher.resolve`.
 */
async function publishPost(key: string): Promise<IntentState> {
  const sending = await DBOS.startWorkflow(sendPost, { workflowID: `${key}/send`, queueName: sendingQueue })(key);
  let state = await sending.getResult();
  let pauseSeconds = Math.ceil(leaseMs / 1_000);
  while (!finalStates.includes(state)) {
    // A message of the receiver ends the pause early.
    await DBOS.recv(topic, { timeoutSeconds: pauseSeconds });
    pauseSeconds = Math.min(pauseSeconds * 2, longestPauseSeconds);
    state = await resume(key);
  }
  return state;
}

DBOS.registerWorkflow(publishPost, { name: workflowName, maxRecoveryAttempts: 1_000 });
DBOS.setConfig(configOf(process.argv[2] ?? 'worker-1'));
await setup();
await DBOS.launch();
await DBOS.registerQueue(queueName);
await DBOS.registerQueue(sendingQueue, { workerConcurrency: 8 });

process.on('SIGTERM', () => {
  void DBOS.shutdown({ workflowCompletionTimeoutMS: leaseMs }).then(() => pool.end());
});
console.log('working');
