/** `--not-sent KEY`: a person's word that a row has no post. */
import type { ClientHooks } from 'social-publishing';
import type { Publisher } from 'social-publishing/publisher';
import type { Row } from './rows.js';

export interface Word {
  /** As the person wrote it. */
  readonly said: string;
  /** The row's key in the store. */
  readonly key: string;
}

/** What is wrong with words: of nothing that was noted there is nothing to say. */
export async function unknownWords(
  publisher: Publisher,
  rows: readonly Row[],
  words: readonly Word[],
): Promise<string[]> {
  const keys = new Set(rows.map(({ key }) => key));
  const unknown: string[] = [];
  for (const { said, key } of words) {
    if (!keys.has(key)) unknown.push(`${said}: there is no row with this key`);
    else if ((await publisher.get(key)) === undefined) unknown.push(`${said}: no earlier run knows this row`);
  }
  return unknown;
}

/** Looks at lists of posts that failed, which an intent does not tell from those that found nothing. */
export interface FailedLooks {
  count: number;
  /** The latest one's. */
  message: string;
}

/** Notes in `failed` what a client's looks fail with. */
export function watchLooks(failed: FailedLooks): ClientHooks {
  return {
    onError: ({ method, route, error }) => {
      if (method !== 'GET' || route !== '/v1/posts/') return;
      failed.count += 1;
      failed.message = error instanceof Error ? error.message : String(error);
    },
  };
}

/**
 * Follows a word, so that the row is sent. The word may be older than the last send (the same command again, after it was
 * killed): only what a look leaves in doubt, or what the service refused, has no post for certain.
 *
 * @returns what to tell the person where the word is not followed
 */
export async function takeWord(
  publisher: Publisher,
  { said, key }: Word,
  failed: FailedLooks,
): Promise<string | undefined> {
  let intent = await publisher.get(key);
  const { count } = failed;
  if (intent?.state === 'in_doubt') intent = await publisher.resume(key);
  const state = intent?.state;
  if (state === 'in_doubt' && failed.count > count)
    return `${said}: is not followed, as the row could not be looked for (${failed.message}). Run the command again.`;
  switch (state) {
    case 'in_doubt':
    case 'rejected':
      await publisher.resolve(key, { as: 'not_sent' });
      return undefined;
    case 'sending':
      return (
        `${said}: its request was under way, so it is looked for first. ` +
        'If it is held at the end, look at the service, and run the command again.'
      );
    case undefined:
    case 'ready':
      return undefined;
    default:
      return `${said}: is not followed, as the row is ${state}`;
  }
}
