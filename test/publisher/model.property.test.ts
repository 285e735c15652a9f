import { it } from 'vitest';
import { jumping, keepsLaws, timeoutMs, usual } from './model.js';

it.each([
  ['equal clocks', 0, usual, {}],
  ['clocks that are set again and again', 0, jumping, {}],
] as const)(
  'at most one post for each key, nothing final changes, and all that is open ends or is held: %s',
  async (_, apartMs, kinds, options) => {
    await keepsLaws(apartMs, kinds, options);
  },
  timeoutMs,
);
