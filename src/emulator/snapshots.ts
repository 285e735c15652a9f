import type { EmulatorSnapshot, EmulatorState } from './emulator.js';
import { forkState, type State } from './service/state.js';
import { readState } from './service/state-read.js';
import { stateText } from './service/state-text.js';
import type { Store } from './service/store.js';
import { timestamp } from './service/time.js';

const states = new WeakMap<EmulatorSnapshot, State>();

/** Copies the state of a store. It shares what does not change, so that it costs next to nothing. */
export function takeSnapshot(store: Store, now: number): EmulatorSnapshot {
  const state: State = { ...store.fork(), time: now };
  const snapshot: EmulatorSnapshot = {
    takenAt: timestamp(now),
    toJSON: () => JSON.parse(stateText(state)) as EmulatorState,
  };
  states.set(snapshot, state);
  return snapshot;
}

/** What `JSON.stringify` would make of a snapshot, at a fraction of the cost where little has changed since the last one. */
export function snapshotText(snapshot: EmulatorSnapshot): string {
  const state = states.get(snapshot);
  return state === undefined ? JSON.stringify(snapshot) : stateText(state);
}

/**
 * The state of a snapshot, or of what `toJSON` gave, to put in place.
 * @throws TypeError where it is a snapshot that this package did not make
 * @throws ConfigurationError where it is no state, broken, or of a later version
 */
export function stateOf(given: EmulatorSnapshot | EmulatorState): State {
  const state = states.get(given as EmulatorSnapshot);
  if (state !== undefined) return forkState(state);
  if (typeof given === 'object' && 'takenAt' in (given as object))
    throw new TypeError('restore takes what snapshot gave, or what toJSON made of it.');
  return readState(structuredClone(given));
}
