import { get } from '../world/workbench.js';
import { onChanged } from './change-events.js';
import { remote } from './remote.js';

interface Rule {
  /** Whether it has applied as often as it should. */
  readonly spent: boolean;
}

interface RulesReply {
  readonly requests: readonly Rule[];
  readonly deliveries: readonly Rule[];
}

const rules = remote(async () => {
  const [{ requests, deliveries }, { outcomes }] = await Promise.all([
    get<RulesReply>('faults'),
    get<{ readonly outcomes: readonly object[] }>('outcomes'),
  ]);
  return [...requests, ...deliveries].filter(({ spent }) => !spent).length + outcomes.length;
}, ['fault']);

/** A post, a request or a delivery may have used up a rule. */
for (const kind of ['post', 'request', 'delivery'] as const)
  onChanged(kind, () => {
    if (activeRules() > 0) rules.refresh();
  });

/** Returns the number of faults and planned outcomes that apply from now on. */
export const activeRules = (): number => rules.value.value ?? 0;

/** Starts to count the active rules. */
export const watchActiveRules = (): void => void rules.watch();
