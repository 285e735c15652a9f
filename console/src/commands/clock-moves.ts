import { signal } from '@preact/signals';

/** The number of moves and steps of the clock: a form shows the new time after each. */
export const clockMoves = signal(0);
