import { signal, type Signal } from '@preact/signals';
import { dismissActions } from './notices.js';

const clearings: (() => void)[] = [];

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

/** Called when the whole state was replaced: other records can have the same IDs, so Undo would move another post. */
export function forgetEarlierState(): void {
  dismissActions();
  for (const clear of clearings) clear();
}
