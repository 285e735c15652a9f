import type { Service } from '../../handlers/handler.js';
import { dayMs, nextRandom, timestamp } from '../../state/time.js';
import type { SingleSeeds } from '../singles.js';
import { knownPlatforms, type KnownPlatform } from '../../../model/known-values.js';
import type { Integration } from '../../../resources/integrations.js';

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

export class Dice {
  readonly #holder: { random: number };

  constructor(holder: { random: number }) {
    this.#holder = holder;
  }

  between(low: number, high: number): number {
    return low + Math.floor(nextRandom(this.#holder) * (high - low + 1));
  }

  chance(probability: number): boolean {
    return nextRandom(this.#holder) < probability;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)];
    if (picked === undefined) throw new RangeError('There is nothing to pick from.');
    return picked;
  }

  /** Picks some items and keeps their order. */
  some<T>(from: readonly T[], count: number): T[] {
    const left = [...from];
    while (left.length > count) left.splice(this.between(0, left.length - 1), 1);
    return left;
  }
}

/** Seeds an account on each platform, and a second one on two of them. */
export function seedIntegrations({ seed, now }: DemoWorld): Integration[] {
  const roastery = { profileId: 'profile_roastery', profileName: 'Roastery' };
  const cafe = { profileId: 'profile_cafe', profileName: 'Café' };
  const connect = (platform: KnownPlatform, daysAgo: number, fields: object) =>
    seed.integration({
      platform,
      username: 'birchandbean',
      displayName: 'Birch & Bean',
      createdAt: timestamp(now - daysAgo * dayMs),
      ...fields,
    });
  return [
    ...knownPlatforms.map((platform, index) =>
      connect(platform, 200 - index * 9, {
        ...(index % 5 === 4 ? {} : roastery),
        // One account with an expired token, as many teams have.
        ...(platform === 'pinterest' ? { authStatus: 'expired', authFailureReason: 'token_expired' } : {}),
      }),
    ),
    connect('instagram', 60, { ...cafe, username: 'birchandbean.cafe', displayName: 'Birch & Bean Café' }),
    connect('facebook', 58, { ...cafe, username: 'birchandbean.cafe', displayName: 'Birch & Bean Café' }),
  ];
}
