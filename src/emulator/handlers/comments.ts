import type { commentEndpoints } from '../../resources/comments.js';
import { account } from './accounts.js';
import type { Behaviours } from './behaviour.js';
import { cursorPage, newestFirst } from './paging.js';

export const commentBehaviours: Behaviours<typeof commentEndpoints> = {
  list({ store }, { query }) {
    account(store, query.accountId, query.platform);
    const comments = store.state.comments
      .filter(({ accountId, postId }) => accountId === query.accountId && postId === query.postId)
      .map(({ comment }) => comment);
    const page = cursorPage(
      newestFirst(comments, ({ timestamp }) => timestamp),
      (comment) => comment.id,
      query.limit,
      query.after,
    );
    return {
      success: true,
      comments: page.items,
      ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
    };
  },
};
