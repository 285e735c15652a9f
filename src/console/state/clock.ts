import { computed, signal } from '@preact/signals';
import { get, post } from '../world/workbench.js';
import { onChanged } from './change-events.js';
import { remote } from './remote.js';
import { dayOf } from './time.js';
import { repeatWhile } from './timers.js';

/** The emulator's clock as the control API tells of it. */
interface ClockState {
  readonly milliseconds: number;
  readonly running: boolean;
  readonly speed: number;
  /** When something is due next. */
  readonly nextDue: string | null;
}

/** What the emulator told of its clock, and when, by `performance.now`. */
interface Told {
  readonly clock: ClockState;
  readonly at: number;
}

function toldNow(clock: ClockState): Told {
  return { clock, at: performance.now() };
}

const source = remote(
  async () => toldNow(await get<ClockState>('clock')),
  // Whatever plans something or takes it back moves what is due next.
  ['post', 'request', 'delivery', 'automation', 'account'],
);

const told = source.value;

export const watchClock = source.watch;

/** The browser's time at which the page shows the emulator's, by `performance.now`. */
const moment = signal(0);

function take(clock: ClockState): void {
  source.put(toldNow(clock));
}

onChanged('clock', (detail) => {
  if (typeof detail === 'object' && detail !== null) take(detail as ClockState);
  else source.refresh();
});

export const clock = computed(() => told.value?.clock);

const isRunning = computed(() => clock.value?.running === true);

repeatWhile(isRunning, 1_000, () => {
  moment.value = performance.now();
  // A running clock does what is due without a word.
  const nextDue = clock.value?.nextDue ?? undefined;
  if (nextDue !== undefined && Date.parse(nextDue) <= emulatorNow()) source.refresh();
});

/** The emulator's time in milliseconds, counted on while it runs. */
export const now = computed(() => timeAt(moment.value));

/** The emulator's day in the browser's zone: it changes once a day, not with every tick. */
export const today = computed(() => dayOf(now.value));

/** The emulator's time at this moment; the real one until it is known. */
export function emulatorNow(): number {
  return timeAt(performance.now());
}

function timeAt(at: number): number {
  const { value } = told;
  if (value === undefined) return Date.now();
  const { milliseconds, running, speed } = value.clock;
  return running ? milliseconds + Math.max(0, at - value.at) * speed : milliseconds;
}

export async function runClock(speed: number): Promise<void> {
  take(await post<ClockState>('clock/run', { speed }));
}

export async function pauseClock(): Promise<void> {
  take(await post<ClockState>('clock/pause'));
}

/** Moves the time to what is due next. */
export async function stepClock(): Promise<void> {
  take(await post<ClockState>('clock/step'));
}

export async function advanceClock(by: Readonly<Record<string, number>>): Promise<void> {
  take(await post<ClockState>('clock/advance', by));
}
