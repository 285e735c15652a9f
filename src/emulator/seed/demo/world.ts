import type { Service } from '../../handlers/handler.js';
import { dayMs } from '../../service/time.js';
import type { SingleSeeds } from '../singles.js';
import type { Dice } from './dice.js';

export interface DemoWorld {
  readonly service: Service;
  readonly seed: SingleSeeds;
  readonly dice: Dice;
  /** The emulator's time, where the demo ends. */
  readonly now: number;
}

export const hourMs = dayMs / 24;
export const minuteMs = hourMs / 60;

/** From Sunday to Saturday: a coffee roaster's posts have most readers before the weekend. */
const weekRhythm = [0.72, 0.94, 1, 1.04, 1.12, 1.3, 0.88] as const;

/** Returns the relative number of readers on the day of a time; 1 is average. */
export function rhythm(time: number): number {
  return weekRhythm[new Date(time).getUTCDay()] ?? 1;
}
