import type { DurableStore } from '../../src/stores/store.js';
import { storeWith } from '../support/stores.js';

/** A step of a call: before and after its mark, and before and after its result is stored. */
export type OnceStep = 'mark' | 'marked' | 'replied' | 'stored';

export const onceMessage = {
  platform: 'instagram',
  accountId: 'integration_1',
  recipientId: 'kim',
  text: 'Hi',
} as const;

/** A store that reports the steps of a call. A promise that never resolves is a crash. */
export function steppingStore(store: DurableStore, onStep: (step: OnceStep) => void | Promise<void>): DurableStore {
  const around = async <T>(before: OnceStep, after: OnceStep, write: () => Promise<T>): Promise<T> => {
    await onStep(before);
    const result = await write();
    await onStep(after);
    return result;
  };
  return storeWith(store, {
    insert: (...args) => around('mark', 'marked', () => store.insert(...args)),
    swap: (...args) => around('replied', 'stored', () => store.swap(...args)),
  });
}
