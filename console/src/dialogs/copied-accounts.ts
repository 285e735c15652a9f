import type { Post } from 'social-publishing';
import { accounts } from '../state/accounts.js';
import { accountsOf } from '../state/target-accounts.js';
import { useRemoteOf } from '../state/use-remote.js';
import { postTraffic } from '../views/posts/post-traffic.js';

/** The accounts of a post's targets, as a form shows them at first. */
interface CopiedAccounts {
  readonly chosen: ReadonlySet<string>;
  /** The number of targets whose account is not known, or not connected any more. */
  readonly missing: number;
}

/** Returns the accounts of a post. Undefined until they are read: a form chooses them in its first drawing. */
export function useCopiedAccounts(postId: string, post: Post | undefined): CopiedAccounts | undefined {
  const traffic = useRemoteOf(postTraffic, postId);
  const connected = accounts.value.value;
  const isRead = traffic?.postId === postId;
  if (post === undefined || connected === undefined) return undefined;
  // Without the requests, the body of the creation must be enough.
  if (!isRead && postTraffic.error.value === undefined) return undefined;
  const copied = accountsOf(post, isRead ? traffic.requests : []);
  const known = copied.flatMap((id) => (id !== undefined && connected.some((account) => account.id === id) ? id : []));
  return { chosen: new Set(known), missing: copied.length - known.length };
}
