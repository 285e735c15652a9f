import { expired, type Step } from '../../src/publisher/intents/before-send.js';
import {
  marked,
  needs,
  step as stepOf,
  type Happening,
  type IntentPolicy,
  type Need,
  type Sender,
} from '../../src/publisher/intents/intent.js';
import type { IntentRecord } from '../../src/publisher/intents/intent-record.js';

/** The intent should continue. `force` ignores `Retry-After`. */
export interface Resume extends Sender {
  readonly type: 'resume';
  readonly force: boolean;
}

export type Act = Happening | Resume;

/** The result of an act, and what the worker does next. */
interface Acted extends Step {
  readonly todo: Need | 'resume';
}

/**
 * What a worker does: it asks what the intent needs, and marks it before a send. Everything else is an event. After a
 * search, it resumes an intent that needs a send.
 */
export function step(record: IntentRecord, act: Act, policy: IntentPolicy): Acted {
  if (act.type !== 'resume') {
    const next = stepOf(record, act, policy);
    const isSearched = act.type === 'not_found' && next.record !== record;
    const need = needs(next.record, { at: act.at, serviceAt: act.at, force: false }, policy);
    return { ...next, todo: isSearched && need === 'send' ? 'resume' : 'nothing' };
  }
  const todo = needs(record, { serviceAt: act.at, ...act }, policy);
  if (todo === 'expire') return { record: expired(record, act.at, policy), todo: 'nothing' };
  return { record: todo === 'send' ? marked(record, act, policy) : record, todo };
}
