import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporaryServer } from '../../support/temporary-servers.js';

export interface Server {
  stop(): Promise<void>;
}

/** How long the connection to the standby delivers nothing before the primary is lost, in milliseconds. */
export const stallMs = 2_000;

export const portOf = ({ url }: TemporaryServer): number => Number(new URL(url).port);

export async function until(condition: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error('The standby did not follow its primary within 60 s.');
    await sleep(50);
  }
}
