import type { EmulatorSnapshot, EmulatorState } from './emulator.js';
import { forkState, type State } from './state/state.js';
import { readState, stateText } from './state/state-text.js';
import type { Store } from './state/store.js';
import { timestamp } from './state/time.js';

const taken = new WeakMap<EmulatorSnapshot, State>();

/** Copies the state of a store. The copy shares unchanged parts, so it is cheap. */
export function takeSnapshot(store: Store, now: number): EmulatorSnapshot {
  const state: State = { ...forkState(store.state), time: now };
  // stateText() writes such a state.
  const toJSON = () => JSON.parse(stateText(state)) as EmulatorState;
  const snapshot: EmulatorSnapshot = { takenAt: timestamp(now), toJSON };
  taken.set(snapshot, state);
  return snapshot;
}

/**
 * Returns the text that `JSON.stringify` would write for a snapshot, much cheaper if little has changed since the last
 * one.
 */
export function snapshotText(snapshot: EmulatorSnapshot): string {
  const state = taken.get(snapshot);
  return state === undefined ? JSON.stringify(snapshot) : stateText(state);
}

/**
 * Returns the state of a snapshot, or of the result of its `toJSON`.
 * @throws TypeError if the snapshot was not created by this package
 * @throws ConfigurationError if it is not a state, is broken, or is of a later version
 */
export function stateOf(given: EmulatorSnapshot | EmulatorState): State {
  const known = taken.get(given as EmulatorSnapshot);
  if (known !== undefined) return forkState(known);
  if (typeof given === 'object' && 'takenAt' in given)
    throw new TypeError('restore takes a snapshot, or the result of its toJSON.');
  return readState(structuredClone(given));
}
