import { signal, type ReadonlySignal } from '@preact/signals';
import { wordsOf } from '../world/words.js';
import { onNews, type NewsKind } from './news.js';

/** Something that is read from the emulator, and read again when news of it come. */
export interface Remote<Value> {
  /** Undefined until it was read once. */
  readonly value: ReadonlySignal<Value | undefined>;
  /** Why the last read failed. */
  readonly error: ReadonlySignal<string | undefined>;
  readonly reload: () => Promise<void>;
}

/** News that come close together cause one read. */
const gatherMs = 120;

export function remote<Value>(load: () => Promise<Value>, kinds: readonly NewsKind[] = []): Remote<Value> {
  const value = signal<Value | undefined>(undefined);
  const error = signal<string | undefined>(undefined);
  let turn = 0;
  const reload = async () => {
    turn += 1;
    const mine = turn;
    try {
      const loaded = await load();
      // An older read that ends late must not cover a newer one.
      if (mine !== turn) return;
      value.value = loaded;
      error.value = undefined;
    } catch (problem) {
      if (mine === turn) error.value = wordsOf(problem);
    }
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    // What nobody has looked at yet is read when somebody does.
    if (turn === 0 || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void reload();
    }, gatherMs);
  };
  for (const kind of kinds) onNews(kind, soon);
  return { value, error, reload };
}
