import { expired } from '../../src/publisher/intents/before-send.js';
import {
  marked,
  needs,
  step as stepOf,
  type Happening,
  type IntentPolicy,
  type Sender,
  type Step,
} from '../../src/publisher/intents/intent.js';
import type { IntentRecord } from '../../src/publisher/intents/intent-record.js';

/** The intent should continue. `force` ignores `Retry-After`. */
export interface Resume extends Sender {
  readonly type: 'resume';
  readonly force: boolean;
}

export type Act = Happening | Resume;

/** What a worker does: it asks what the intent needs, and marks it before a send. Everything else is an event. */
export function step(
  record: IntentRecord,
  act: Act,
  policy: IntentPolicy,
): Omit<Step, 'todo'> & { readonly todo: Step['todo'] | 'send' } {
  if (act.type !== 'resume') return stepOf(record, act, policy);
  const todo = needs(record, { serviceAt: act.at, ...act }, policy);
  if (todo === 'expire') return { record: expired(record, act.at, policy), todo: 'nothing' };
  return { record: todo === 'send' ? marked(record, act, policy) : record, todo };
}
