import type { History, Simulator } from './simulator.js';

export interface Campaign {
  readonly histories: number;
  readonly events: number;
  readonly seconds: number;
  /** A hash over the hashes of all histories. */
  readonly hash: string;
  readonly failed: readonly History[];
}

export interface CampaignOptions {
  /** The first seed: the others follow it. */
  readonly seed: number;
  readonly histories: number;
  /** Ends the campaign early, in milliseconds of real time. */
  readonly limitMs?: number;
  /** Ends it after this many failures. Default: none. */
  readonly mostFailures?: number;
  readonly onProgress?: (histories: number, failures: number) => void;
  readonly onFailure?: (history: History) => void;
}

/** Runs histories one after the other. */
export async function runCampaign(
  simulator: Simulator,
  { seed, histories, limitMs = Infinity, mostFailures = Infinity, onProgress, onFailure }: CampaignOptions,
): Promise<Campaign> {
  const startedAt = performance.now();
  const failed: History[] = [];
  let [count, events, hash] = [0, 0, 0];
  while (count < histories && failed.length < mostFailures && performance.now() - startedAt < limitMs) {
    const history = await simulator.run(simulator.planOf(seed + count));
    count += 1;
    events += history.events;
    hash = (Math.imul(hash, 31) + Number.parseInt(history.hash.slice(0, 8), 16)) >>> 0;
    if (history.violation !== undefined) {
      failed.push(history);
      onFailure?.(history);
    }
    if (count % 1_000 === 0) onProgress?.(count, failed.length);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return { histories: count, events, seconds, hash: hash.toString(16).padStart(8, '0'), failed };
}
