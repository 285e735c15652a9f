import { it } from 'vitest';
import { hour } from './world.js';
import { jumping, keepsLaws, timeoutMs, usual } from './model.js';

it.each([
  ["clocks that are set again and again, with 'resend'", 0, jumping, { onMissing: 'resend' }],
  ['clocks an hour apart', hour, usual, {}],
  ['the other one an hour behind', -hour, usual, {}],
] as const)(
  'at most one post for each key, nothing final changes, and all that is open ends or is held: %s',
  async (_, apartMs, kinds, options) => {
    await keepsLaws(apartMs, kinds, options);
  },
  timeoutMs,
);
