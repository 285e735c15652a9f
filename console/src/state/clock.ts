import { computed, signal } from '@preact/signals';
import { get, post } from '../world/workbench.js';
import { onChanged } from './change-events.js';
import { remote } from './remote.js';
import { dayOf, formatSeconds, formatTimeOfDay } from './time.js';
import { repeatWhile } from './timers.js';

/** The emulator's clock in the control API. */
interface ClockState {
  readonly milliseconds: number;
  readonly running: boolean;
  readonly speed: number;
  /** When the next event is due. */
  readonly nextDue: string | null;
  readonly next: NextEvent | null;
}

/** The next due event in the control API. */
export interface NextEvent {
  readonly kind: string;
  readonly at: string;
  readonly postId?: string;
  readonly accountId?: string;
  readonly eventType?: string;
}

/** The last received clock state, and when it arrived, by `performance.now`. */
interface Told {
  readonly clock: ClockState;
  readonly at: number;
}

function toldNow(clock: ClockState): Told {
  return { clock, at: performance.now() };
}

const source = remote(
  async () => toldNow(await get<ClockState>('clock')),
  // Events that can change the next due time.
  ['post', 'request', 'delivery', 'automation', 'account'],
);

const told = source.value;

export const watchClock = source.watch;

/** The browser time for which the page shows the emulator's time, by `performance.now`. */
const moment = signal(0);

function take(clock: ClockState): void {
  source.put(toldNow(clock));
}

onChanged('clock', (detail) => {
  // The emulator sends its clock's state.
  if (typeof detail === 'object' && detail !== null) take(detail as ClockState);
  else source.refresh();
});

export const clock = computed(() => told.value?.clock);

const isRunning = computed(() => clock.value?.running === true);

repeatWhile(isRunning, 1_000, () => {
  moment.value = performance.now();
  // A running clock reports nothing when it executes due events.
  const nextDue = clock.value?.nextDue ?? undefined;
  if (nextDue !== undefined && Date.parse(nextDue) <= emulatorNow()) source.refresh();
});

/** The emulator's time in milliseconds; it advances while the clock runs. */
export const now = computed(() => timeAt(moment.value));

/** The emulator's day in the browser's zone: it changes once a day, not with every tick. */
export const today = computed(() => dayOf(now.value));

/** Formats a time; a time of the emulator's day without its date. */
export const formatSecondsToday = (time: string): string =>
  dayOf(time) === today.value ? formatTimeOfDay(time) : formatSeconds(time);

/** Returns the emulator's current time; the real time until it is known. */
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

/** Moves the time to the next due event. */
export async function stepClock(): Promise<void> {
  take(await post<ClockState>('clock/step'));
}

/** Moves the time. Moving it back executes no events. */
export async function setClock(to: Date): Promise<void> {
  take(await post<ClockState>('clock/set', { to: to.toISOString() }));
}

export async function advanceClock(by: Readonly<Record<string, number>>): Promise<void> {
  take(await post<ClockState>('clock/advance', by));
}
