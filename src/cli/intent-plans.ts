import { isDone, nextAction, type NextAction } from '../publisher/intent.js';
import type { Intent, Publisher } from '../publisher/index.js';
import { goesOutSoon } from './confirm.js';

const actions: Partial<Record<NextAction, string>> = {
  send: 'send',
  search: 'search for its post',
  check: 'read its post',
};

/** An open intent, and the action of a sweep. */
interface PlannedAction {
  readonly key: string;
  readonly state: Intent['state'];
  readonly action: string;
}

/** Returns the action of a sweep for each open intent. A sweep skips intents that are not due yet. */
export async function planSweep(publisher: Pick<Publisher, 'list'>): Promise<PlannedAction[]> {
  const plan: PlannedAction[] = [];
  for (const state of ['ready', 'sending', 'in_doubt', 'accepted'] as const) {
    for await (const intent of publisher.list({ state })) {
      const action = actions[nextAction(intent)];
      if (action !== undefined) plan.push({ key: intent.key, state, action });
    }
  }
  return plan.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Returns the key of a ready intent that a sweep would publish within 5 minutes. Reads the list to its end. */
export async function findSoon(publisher: Pick<Publisher, 'list'>, now: number): Promise<string | undefined> {
  let soon: string | undefined;
  for await (const { key, body, extraBody } of publisher.list({ state: 'ready' }))
    if (goesOutSoon({ ...body, ...extraBody }, now)) soon ??= key;
  return soon;
}

/** Returns the keys of the intents that a prune removes. */
export async function planPrune(publisher: Pick<Publisher, 'list'>, olderThan: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const intent of publisher.list())
    if (isDone(intent) && Date.parse(intent.updatedAt) < olderThan) keys.push(intent.key);
  return keys;
}
