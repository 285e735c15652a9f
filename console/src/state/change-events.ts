/** The kinds of changes at the emulator, by the view that shows them. */
export type ChangeKind =
  | 'post'
  | 'request'
  | 'delivery'
  | 'clock'
  | 'fault'
  | 'account'
  | 'comment'
  | 'message'
  | 'automation'
  | 'subscription';

type ChangeListener = (detail: unknown) => void;

const listeners = new Map<ChangeKind, Set<ChangeListener>>();

/** Calls a listener after each change of a kind. Returns a function that removes the listener. */
export function onChanged(kind: ChangeKind, listener: ChangeListener): () => void {
  const all = listeners.get(kind) ?? new Set();
  listeners.set(kind, all.add(listener));
  return () => {
    all.delete(listener);
  };
}

export function notifyChanged(kind: ChangeKind, detail?: unknown): void {
  for (const listener of listeners.get(kind) ?? []) listener(detail);
}

/** Notifies all listeners, because anything may have changed. */
export function notifyAllChanged(): void {
  for (const kind of listeners.keys()) notifyChanged(kind);
}
