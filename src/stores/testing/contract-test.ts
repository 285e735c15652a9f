import type { DurableStore, StoredItem } from '../store.js';

/** A store as the suite opens it. */
export interface TestableStore extends DurableStore {
  /** Creates what the store needs, for example tables. The suite calls it each time it has opened the store. */
  setup?(): Promise<void>;
  /** Ends what opening began. The suite calls it at the end of each test. */
  close?(): Promise<void>;
}

/**
 * Defines a test. It gets the opened store, a prefix that no other test has, and a function that opens the store once
 * more, as another process would.
 */
export type ContractTest = (
  name: string,
  test: (store: DurableStore, room: string, openAnother: () => Promise<DurableStore>) => Promise<void>,
) => unknown;

/** An item that must be there. */
export async function read(store: DurableStore, key: string): Promise<StoredItem> {
  const item = await store.get(key);
  assert(item !== undefined, 'an item');
  return item;
}

/** Fails with the expected result. The suite contains its own checks, so it works with any test runner. */
export function assert(condition: boolean, expected: string): asserts condition {
  if (!condition) throw new Error(`Expected: ${expected}.`);
}

/** Compares two values that JSON can write, key order included; `undefined` differs from all others. */
export function equal(actual: unknown, expected: unknown): void {
  const [got, wanted] = [json(actual), json(expected)];
  if (got !== wanted) throw new Error(`Expected ${shortened(wanted)}, got ${shortened(got)}.`);
}

export function written(version: number | undefined): number {
  if (version !== undefined && Number.isSafeInteger(version) && version >= 1) return version;
  throw new Error(`Expected the item's new version, a whole number of 1 or more; got ${String(version)}.`);
}

/** Compares the name, not the class: a store of another package may contain its own copy of the class. */
export async function rejectsAsInvalid(call: () => Promise<unknown>): Promise<void> {
  const nameOf = (error: unknown) => (error instanceof Error ? error.name : String(error));
  // A store whose methods are not async functions may throw.
  const called = Promise.resolve().then(call);
  equal(await called.then(() => 'no error', nameOf), 'InvalidRequestError');
}

function json(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}

function shortened(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;
}
