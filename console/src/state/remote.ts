import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { wordsOfRead } from '../world/words.js';
import { gathered } from './timers.js';
import { onChanged, type ChangeKind } from './change-events.js';
import { checkConnection, isAnswering } from './live.js';

/** Data that is read from the emulator, and read again when it changes. */
export interface Remote<Value> {
  /** Undefined until the first read. */
  readonly value: ReadonlySignal<Value | undefined>;
  /** Why the last read failed. */
  readonly error: ReadonlySignal<string | undefined>;
  readonly reload: () => Promise<void>;
  /**
   * Reads the data now and after each change, until the returned function is called. The data of another subject is not
   * shown for long.
   */
  readonly watch: (subject?: string) => () => void;
  /** Reads the data again soon, if it is watched. */
  readonly refresh: () => void;
  /** Sets a received value; a read in progress may be older. */
  readonly put: (value: Value) => void;
}

/** Changes within this time cause one read. */
const gatherMs = 120;
/** The data of another subject is shown for this time at most: mostly, the new data arrives before, and nothing flickers. */
const staleMs = 300;
/** A failed read is repeated after this time. */
const retryMs = 3_000;

/**
 * @param load reads the data without side effects: an older read may end late
 * @param onLoaded receives the data when it is shown
 */
export function remote<Value>(
  load: () => Promise<Value>,
  kinds: readonly ChangeKind[] = [],
  onLoaded?: (value: Value) => void,
): Remote<Value> {
  const { value, error, set } = lastRead<Value>();
  const begin = turns();
  let [reading, watchers] = [0, 0];
  const changeSubject = subjectOf(value, begin);
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
      void checkConnection();
      retry();
    } finally {
      reading -= 1;
    }
  };
  const refresh = gathered(gatherMs, () => {
    // Unwatched data is read when a watcher appears.
    if (watchers > 0) void reload();
  });
  const retry = retrying(error, refresh);
  for (const kind of kinds) onChanged(kind, refresh);
  const watch = (subject?: string) => {
    watchers += 1;
    changeSubject(subject);
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

/** The result of the last read: the data is kept after an error. */
function lastRead<Value>() {
  const value = signal<Value | undefined>(undefined);
  const error = signal<string | undefined>(undefined);
  const set = (next: Value) => {
    value.value = next;
    error.value = undefined;
  };
  return { value, error, set };
}

/** Returns a function that reads again after an error. If no emulator answers, the data is read when it answers again. */
const retrying = (error: ReadonlySignal<string | undefined>, refresh: () => void) =>
  gathered(retryMs, () => {
    if (error.value !== undefined && isAnswering.value) refresh();
  });

/** Returns a function that forgets the data of another subject if no new data arrives. */
function subjectOf<Value>(value: Signal<Value | undefined>, begin: ReturnType<typeof turns>) {
  let shown: string | undefined;
  return (subject: string | undefined) => {
    if (subject === shown) return;
    shown = subject;
    // Reads in progress are about the other subject.
    begin()(() => undefined);
    const before = value.peek();
    setTimeout(() => {
      if (value.peek() === before) value.value = undefined;
    }, staleMs);
  };
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
