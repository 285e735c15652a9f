/** Temporal bundles this file and runs it again for each replay, so it imports only types and Temporal's workflow API. */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { IntentState } from 'social-publishing/publisher';
import type * as activities from './activities.js';

const { resume } = proxyActivities<typeof activities>({
  // Without a heartbeat, Temporal notices a killed worker after this time. A short time is safe: an attempt that starts
  // while another one waits for the service sends nothing.
  startToCloseTimeout: '1 minute',
  // Not maximumAttempts: 1. That is the setting for a create without a key, which a second attempt would repeat. It
  // turns each killed worker into a failed workflow, and does not show whether the post exists. A second attempt of
  // `resume` searches for the post.
  retry: {
    initialInterval: '1 second',
    backoffCoefficient: 2,
    maximumInterval: '1 minute',
    // The key is unknown or pruned, or its intent belongs to another service: no attempt can succeed.
    nonRetryableErrorTypes: ['InvalidRequestError', 'IntentConflictError'],
  },
});

/** The post has a new state. */
export const changed = defineSignal('changed');

const finalStates: readonly IntentState[] = ['published', 'partial', 'failed', 'abandoned'];
const minuteMs = 60_000;

/**
 * The workflow of a post: its ID is the key of the intent. It ends with the final state of the post. An intent that is
 * `in_doubt` or `rejected` waits here for the operator's `publisher.resolve`.
 */
export async function publishPost(key: string): Promise<IntentState> {
  let isChanged = false;
  setHandler(changed, () => {
    isChanged = true;
  });
  let pauseMs = minuteMs;
  for (;;) {
    isChanged = false;
    const state = await resume(key);
    if (finalStates.includes(state)) return state;
    // A signal of the receiver ends the pause early.
    await condition(() => isChanged, pauseMs);
    pauseMs = Math.min(pauseMs * 2, 60 * minuteMs);
  }
}
