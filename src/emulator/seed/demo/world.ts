import { dayMs } from '../../service/time.js';
import type { SingleSeeds } from '../singles.js';
import type { Dice } from './dice.js';

/** What each part of the demo is made with. */
export interface DemoWorld {
  readonly seed: SingleSeeds;
  readonly dice: Dice;
  /** The emulator's time, which the demo leads up to. */
  readonly now: number;
}

export const hourMs = dayMs / 24;
export const minuteMs = hourMs / 60;

/** From Sunday to Saturday: people look at a coffee roaster's posts before the weekend. */
const weekRhythm = [0.72, 0.94, 1, 1.04, 1.12, 1.3, 0.88] as const;

/** How much people look at posts on the day of a time; 1 is a usual day. */
export function rhythm(time: number): number {
  return weekRhythm[new Date(time).getUTCDay()] ?? 1;
}
