import { platformName } from '../../state/platform-names.js';
import { remote } from '../../state/remote.js';
import { get } from '../../world/workbench.js';
import type { FaultEntry } from '../../state/rules.js';
import { nameOf } from './faults.js';

/** A planned step, as the control API shows it. */
export interface ShownStep {
  readonly id: string;
  readonly at: string;
  readonly faults?: OneOrMore<FaultEntry['fault']>;
  readonly outcomes?: OneOrMore<PlannedResult>;
  readonly seed?: Readonly<Record<string, readonly unknown[]>>;
}

type OneOrMore<Item> = Item | readonly Item[];

interface PlannedResult {
  readonly platform?: string;
  readonly error?: string;
  readonly warning?: string;
}

export const scenario = remote(
  async () => (await get<{ readonly steps: readonly ShownStep[] }>('scenario')).steps,
  ['fault', 'clock'],
);

/** Says what a step adds: `fault: Status 503; outcome on TikTok: down; 2 integrations`. */
export function wordsOfStep({ faults = [], outcomes = [], seed = {} }: ShownStep): string {
  return [
    ...[faults].flat().map((fault) => `fault: ${nameOf(fault)}`),
    ...[outcomes].flat().map(({ platform, error, warning }) => {
      const place = platform === undefined ? '' : ` on ${platformName(platform)}`;
      return `outcome${place}: ${error ?? warning ?? 'succeeds'}`;
    }),
    ...Object.entries(seed).map(([kind, records]) => `${records.length} ${kind}`),
  ].join('; ');
}
