/** The text of a new post that was not sent yet. It stays until the post is created, also after a reload of the tab. */
export interface KeptPost {
  readonly content: string;
  readonly media: string;
  readonly accounts: readonly string[];
  readonly mode: string;
  /** In the form of its field; empty for a post without a time. */
  readonly time: string;
}

const key = 'emulator-console-new-post';

export function keptPost(): KeptPost | undefined {
  const text = sessionStorage.getItem(key);
  // This page wrote it.
  return text === null ? undefined : (JSON.parse(text) as KeptPost);
}

export function forgetPost(): void {
  sessionStorage.removeItem(key);
}

/** Keeps what the form contains. An empty form is forgotten. */
export function keepPost(form: HTMLFormElement): void {
  const data = new FormData(form);
  const text = (name: string) => {
    const value = data.get(name);
    return typeof value === 'string' ? value : '';
  };
  const accounts = data.getAll('account').filter((id) => typeof id === 'string');
  const kept: KeptPost = {
    content: text('content'),
    media: text('media'),
    accounts,
    mode: text('mode'),
    time: text('time'),
  };
  if (kept.content.trim() === '' && kept.media.trim() === '' && accounts.length === 0) forgetPost();
  else sessionStorage.setItem(key, JSON.stringify(kept));
}
