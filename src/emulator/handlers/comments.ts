import type { commentEndpoints } from '../../resources/comments.js';
import { account } from './integrations.js';
import { type Handlers, cursorPage, newestFirst } from './handler.js';

export const commentHandlers: Handlers<typeof commentEndpoints> = {
  list({ store }, { query }) {
    account(store, query.accountId, query.platform);
    const comments = store.state.comments.get(commentedPost(query)) ?? [];
    const { items, ...next } = cursorPage(
      newestFirst(comments, ({ timestamp }) => timestamp),
      query,
    );
    return { success: true, comments: items, ...next };
  },
};

/** Returns the key of a post of an account, which owns comments. */
export function commentedPost({ accountId, postId }: { readonly accountId: string; readonly postId: string }): string {
  return JSON.stringify([accountId, postId]);
}
