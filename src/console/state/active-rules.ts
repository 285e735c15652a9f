import { get } from '../world/workbench.js';
import { onChanged } from './change-events.js';
import { remote } from './remote.js';

interface Rule {
  /** Whether it has applied as often as it should. */
  readonly spent: boolean;
}

interface Rules {
  readonly requests: readonly Rule[];
  readonly deliveries: readonly Rule[];
}

const rules = remote(async () => {
  const [{ requests, deliveries }, { outcomes }] = await Promise.all([
    get<Rules>('faults'),
    get<{ readonly outcomes: readonly object[] }>('outcomes'),
  ]);
  return [...requests, ...deliveries].filter(({ spent }) => !spent).length + outcomes.length;
}, ['fault']);

/** Whatever happens while rules are active may have used one up. */
for (const kind of ['post', 'request', 'delivery'] as const)
  onChanged(kind, () => {
    if (activeRules() > 0) rules.refresh();
  });

/** Returns the number of faults and planned outcomes that apply from now on. */
export const activeRules = (): number => rules.value.value ?? 0;

/** Starts to count the active rules. */
export const watchActiveRules = (): void => void rules.watch();
