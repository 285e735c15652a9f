/**
 * The contract of a durable store as a suite, for stores of your own.
 *
 * @packageDocumentation
 */
import { defaultRuntime } from '../../core/runtime.js';
import type { ContractTest, TestableStore } from './contract-test.js';
import { describeItems } from './items.js';
import { describeModel, describeRaces } from './many-calls.js';
import { describeScan, describeWaking } from './queries.js';

export type { DurableStore, ScannedItem, StoredItem } from '../store.js';
export type { TestableStore } from './contract-test.js';

/** Opens the store under test: on the same data each time, or empty each time. The suite uses only its own keys. */
export type OpenStore = () => TestableStore | Promise<TestableStore>;

/** The two functions of a test runner that the suite is written with. */
export interface TestRunner {
  /** Names a group of tests. */
  readonly describe: (name: string, define: () => void) => unknown;
  /** Defines a test, which fails where the promise rejects. */
  readonly it: (name: string, test: () => Promise<void>) => unknown;
}

/**
 * The contract of {@link DurableStore} as tests: call it in a test file of your own, once for each way to open your
 * store. It needs no library: the functions of vitest, jest, mocha and node:test all fit. It writes under keys that
 * start with `contract/`, each test under its own, and leaves them behind.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest';
 * import { testDurableStore } from 'social-publishing/stores/testing';
 *
 * describe('MyStore', () => {
 *   testDurableStore(() => new MyStore(process.env.MY_URL), { describe, it });
 * });
 * ```
 */
export function testDurableStore(open: OpenStore, { describe, it }: TestRunner): void {
  const suite: ContractTest = (name, test) =>
    it(name, async () => {
      const opened: TestableStore[] = [];
      const openOne = async () => {
        const store = await open();
        opened.push(store);
        await store.setup?.();
        return store;
      };
      try {
        await test(await openOne(), `contract/${defaultRuntime.newId()}/`, openOne);
      } finally {
        for (const store of opened) await store.close?.();
      }
    });
  describe('keeps the contract of a durable store', () => {
    describeItems(suite);
    describeScan(suite);
    describeWaking(suite);
    describeRaces(suite);
    describeModel(suite);
  });
}
