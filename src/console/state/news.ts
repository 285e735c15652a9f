/** What happened at the emulator, by the part of the page that it concerns. */
export type NewsKind =
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

type NewsListener = (detail: unknown) => void;

const listeners = new Map<NewsKind, Set<NewsListener>>();

/** Is told of news of a kind, with what came along, until what it returns is called. */
export function onNews(kind: NewsKind, listener: NewsListener): () => void {
  const all = listeners.get(kind) ?? new Set();
  listeners.set(kind, all.add(listener));
  return () => {
    all.delete(listener);
  };
}

export function tellNews(kind: NewsKind, detail?: unknown): void {
  for (const listener of listeners.get(kind) ?? []) listener(detail);
}

/** Everything may have changed. */
export function tellAll(): void {
  for (const kind of listeners.keys()) tellNews(kind);
}
