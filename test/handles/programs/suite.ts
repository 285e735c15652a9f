import { testDurableStore, type OpenStore } from '../../../src/stores/testing/index.js';

export interface SuiteTest {
  readonly name: string;
  readonly test: () => Promise<void>;
}

/** Returns the tests of the contract suite: not every runtime has a test runner. */
export function suiteOf(open: OpenStore): readonly SuiteTest[] {
  const tests: SuiteTest[] = [];
  testDurableStore(open, {
    describe: (_name, define) => {
      define();
    },
    it: (name, test) => tests.push({ name, test }),
  });
  return tests;
}

/** Runs a test. Returns `undefined` if it passes, else its failure. */
export async function failureOf({ name, test }: SuiteTest): Promise<string | undefined> {
  try {
    await test();
    return undefined;
  } catch (error) {
    return `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}
