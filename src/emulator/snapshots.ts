import type { EmulatorSnapshot, EmulatorState } from './emulator.js';
import { forkState, type State } from './service/state.js';
import { readState } from './service/state-read.js';
import { stateText } from './service/state-text.js';
import type { Store } from './service/store.js';
import { timestamp } from './service/time.js';

/** A state, and how it is written. */
interface Taken {
  readonly state: State;
  readonly text: () => string;
}

const taken = new WeakMap<EmulatorSnapshot, Taken>();

/** Copies the state of a store. It shares what does not change, so that it costs next to nothing. */
export function takeSnapshot(store: Store, now: number): EmulatorSnapshot {
  const state: State = { ...store.fork(), time: now };
  const { accessKeys } = store;
  const text = () => stateText(state, accessKeys);
  const snapshot: EmulatorSnapshot = { takenAt: timestamp(now), toJSON: () => JSON.parse(text()) as EmulatorState };
  taken.set(snapshot, { state, text });
  return snapshot;
}

/** What `JSON.stringify` would make of a snapshot, at a fraction of the cost where little has changed since the last one. */
export function snapshotText(snapshot: EmulatorSnapshot): string {
  return taken.get(snapshot)?.text() ?? JSON.stringify(snapshot);
}

/**
 * The state of a snapshot, or of what `toJSON` gave, to put in place.
 * @throws TypeError where it is a snapshot that this package did not make
 * @throws ConfigurationError where it is no state, broken, or of a later version
 */
export function stateOf(given: EmulatorSnapshot | EmulatorState): State {
  const known = taken.get(given as EmulatorSnapshot);
  if (known !== undefined) return forkState(known.state);
  if (typeof given === 'object' && 'takenAt' in (given as object))
    throw new TypeError('restore takes what snapshot gave, or what toJSON made of it.');
  return readState(structuredClone(given));
}
