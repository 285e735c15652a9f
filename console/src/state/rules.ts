import { get } from '../world/workbench.js';
import { onChanged } from './change-events.js';
import { outcomes } from './outcomes.js';
import { remote } from './remote.js';

/** A fault with its effects, as the control API shows it. */
export interface FaultEntry {
  readonly id: string;
  readonly fault: Readonly<Record<string, unknown>> & { readonly kind: string };
  readonly struck: number;
  /** Whether it has applied as often as it should. */
  readonly spent: boolean;
}

interface FaultLists {
  readonly requests: readonly FaultEntry[];
  readonly deliveries: readonly FaultEntry[];
}

export const faults = remote(() => get<FaultLists>('faults'), ['fault']);

/** A post, a request or a delivery may have used a rule. */
for (const kind of ['post', 'request', 'delivery'] as const)
  onChanged(kind, () => {
    if (activeRules() === 0) return;
    faults.refresh();
    outcomes.refresh();
  });

/** Returns the number of faults and planned outcomes that apply from now on. */
export function activeRules(): number {
  const { requests = [], deliveries = [] } = faults.value.value ?? {};
  const active = [...requests, ...deliveries].filter(({ spent }) => !spent);
  return active.length + (outcomes.value.value?.length ?? 0);
}

/** Starts to count the active rules. */
export function watchActiveRules(): void {
  faults.watch();
  outcomes.watch();
}
