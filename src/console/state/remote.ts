import { signal, type ReadonlySignal } from '@preact/signals';
import { wordsOf } from '../world/words.js';
import { gathered } from './timers.js';
import { onChanged, type ChangeKind } from './change-events.js';

/** Something that is read from the emulator, and read again when news of it come. */
export interface Remote<Value> {
  /** Undefined until it was read once. */
  readonly value: ReadonlySignal<Value | undefined>;
  /** Why the last read failed. */
  readonly error: ReadonlySignal<string | undefined>;
  readonly reload: () => Promise<void>;
  /** Reads it now, and again at news of it until what it returns is called. */
  readonly watch: () => () => void;
  /** Reads it again soon, where somebody watches. */
  readonly refresh: () => void;
  /** Takes a value that came by itself: what is being read may be older. */
  readonly put: (value: Value) => void;
}

/** News that come close together cause one read. */
const gatherMs = 120;

/**
 * @param load reads it, and changes nothing: it may be an older read that ends late
 * @param onLoaded is told of what was read where it is to be shown
 */
export function remote<Value>(
  load: () => Promise<Value>,
  kinds: readonly ChangeKind[] = [],
  onLoaded?: (value: Value) => void,
): Remote<Value> {
  const value = signal<Value | undefined>(undefined);
  const error = signal<string | undefined>(undefined);
  const begin = turns();
  let [reading, watchers] = [0, 0];
  const set = (next: Value) => {
    value.value = next;
    error.value = undefined;
  };
  const reload = async () => {
    const show = begin();
    reading += 1;
    try {
      const loaded = await load();
      show(() => {
        onLoaded?.(loaded);
        set(loaded);
      });
    } catch (problem) {
      show(() => {
        error.value = wordsOf(problem);
      });
    } finally {
      reading -= 1;
    }
  };
  const refresh = gathered(gatherMs, () => {
    // What nobody looks at is read when somebody does.
    if (watchers > 0) void reload();
  });
  for (const kind of kinds) onChanged(kind, refresh);
  const watch = () => {
    watchers += 1;
    void reload();
    return () => {
      watchers -= 1;
    };
  };
  const put = (next: Value) => {
    begin()(() => {
      set(next);
    });
    if (reading > 0) refresh();
  };
  return { value, error, reload, watch, refresh, put };
}

/** Each read begins a turn, and shows what it gave unless a later one has done so before: it may end late. */
function turns(): () => (show: () => void) => void {
  let [last, shown] = [0, 0];
  return () => {
    const mine = ++last;
    return (show) => {
      if (mine < shown) return;
      shown = mine;
      show();
    };
  };
}
