import { signal, type Signal } from '@preact/signals';
import { dismissActions } from './notices.js';

const clearings: (() => void)[] = [];
const uncertain: (() => void)[] = [];

/** A value that the page reads only on request. The page forgets it when the whole state of the emulator is replaced. */
export function readOnRequest<Value>(): Signal<Value | undefined> {
  const value = signal<Value | undefined>(undefined);
  onReplacedState(() => {
    value.value = undefined;
  });
  return value;
}

/** Calls a function when the whole state of the emulator was replaced. */
export function onReplacedState(clear: () => void): void {
  clearings.push(clear);
}

/** Calls a function when the whole state may have been replaced. */
export function onUncertainState(clear: () => void): void {
  uncertain.push(clear);
}

/** Called after changes were missed: other records can have the same IDs, so Undo would move another post. */
export function forgetUncertain(): void {
  dismissActions();
  for (const clear of uncertain) clear();
}

/** Called when the whole state was replaced. */
export function forgetEarlierState(): void {
  forgetUncertain();
  for (const clear of clearings) clear();
}
