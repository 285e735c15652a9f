import type { EmulatorSnapshot, EmulatorState } from './emulator.js';
import { forkState, type State } from './state/state.js';
import { readState, stateText } from './state/state-text.js';
import type { Store } from './state/store.js';
import { timestamp } from './state/time.js';

interface Taken {
  readonly state: State;
  readonly text: () => string;
}

const taken = new WeakMap<EmulatorSnapshot, Taken>();

/** Copies the state of a store. The copy shares unchanged parts, so it is cheap. */
export function takeSnapshot(store: Store, now: number): EmulatorSnapshot {
  const state: State = { ...forkState(store.state), time: now };
  const text = () => stateText(state);
  // stateText() writes such a state.
  const snapshot: EmulatorSnapshot = { takenAt: timestamp(now), toJSON: () => JSON.parse(text()) as EmulatorState };
  taken.set(snapshot, { state, text });
  return snapshot;
}

/**
 * Returns the text that `JSON.stringify` would write for a snapshot, much cheaper if little has changed since the last
 * one.
 */
export function snapshotText(snapshot: EmulatorSnapshot): string {
  return taken.get(snapshot)?.text() ?? JSON.stringify(snapshot);
}

/**
 * Returns the state of a snapshot, or of the result of its `toJSON`.
 * @throws TypeError if the snapshot was not created by this package
 * @throws ConfigurationError if it is not a state, is broken, or is of a later version
 */
export function stateOf(given: EmulatorSnapshot | EmulatorState): State {
  const known = taken.get(given as EmulatorSnapshot);
  if (known !== undefined) return forkState(known.state);
  if (typeof given === 'object' && 'takenAt' in given)
    throw new TypeError('restore takes a snapshot, or the result of its toJSON.');
  return readState(structuredClone(given));
}
