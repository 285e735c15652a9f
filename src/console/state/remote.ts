import { signal, type ReadonlySignal } from '@preact/signals';
import { wordsOfRead } from '../world/words.js';
import { gathered } from './timers.js';
import { onChanged, type ChangeKind } from './change-events.js';
import { checkConnection } from './live.js';

/** Data that is read from the emulator, and read again when it changes. */
export interface Remote<Value> {
  /** Undefined until the first read. */
  readonly value: ReadonlySignal<Value | undefined>;
  /** Why the last read failed. */
  readonly error: ReadonlySignal<string | undefined>;
  readonly reload: () => Promise<void>;
  /** Reads the data now and after each change, until the returned function is called. */
  readonly watch: () => () => void;
  /** Reads the data again soon, if it is watched. */
  readonly refresh: () => void;
  /** Sets a received value; a read in progress may be older. */
  readonly put: (value: Value) => void;
}

/** Changes within this time cause one read. */
const gatherMs = 120;

/**
 * @param load reads the data without side effects: an older read may end late
 * @param onLoaded receives the data when it is shown
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
        error.value = wordsOfRead(problem);
      });
      checkConnection();
    } finally {
      reading -= 1;
    }
  };
  const refresh = gathered(gatherMs, () => {
    // Unwatched data is read when a watcher appears.
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

/** Orders the results of reads: a read shows its result unless a later read has already ended. */
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
