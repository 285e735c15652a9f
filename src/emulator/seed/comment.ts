import { commentPlatforms, commentSchema, type Comment, type CommentReply } from '../../resources/comments.js';
import { commentedPost } from '../handlers/comments.js';
import type { Service } from '../handlers/handler.js';
import { withoutUndefined } from '../service/defined.js';
import { addTo } from '../service/table.js';
import { timestamp } from '../service/time.js';
import { integrationOn, newPerson } from './accounts.js';
import { checked } from './checks.js';

/** A comment to seed. `postId` is the platform's own post ID. */
export type CommentSeed = Omit<Partial<Comment>, 'replies'> & {
  /** The integration's ID. */
  readonly accountId: string;
  /** The post's ID on the platform. */
  readonly postId: string;
  /** First-level replies: any of their fields. */
  readonly replies?: readonly Partial<CommentReply>[] | undefined;
};

export function seedComment(service: Service, fields: CommentSeed): Comment {
  const { store, clock } = service;
  const { accountId, postId: _, ...rest } = fields;
  integrationOn(store, 'comment', accountId, commentPlatforms);
  const now = timestamp(clock.now());
  const replies = (rest.replies ?? []).map((reply) => ({
    author: newPerson(service),
    timestamp: now,
    likeCount: 0,
    ...withoutUndefined(reply),
    id: reply.id ?? store.id('reply'),
  }));
  const filled = {
    text: '',
    author: newPerson(service),
    timestamp: now,
    likeCount: 0,
    hidden: false,
    ...withoutUndefined(rest),
    id: rest.id ?? store.id('comment'),
    replies,
  };
  const comment: Comment = checked('comment', commentSchema(), filled);
  addTo(store.state.comments, commentedPost(fields), comment);
  return structuredClone(comment);
}
