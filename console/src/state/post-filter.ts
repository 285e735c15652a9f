import type { Post } from 'social-publishing';

/** The filters of posts; an empty one matches every post. */
export interface PostFilter {
  readonly status: string;
  readonly platform: string;
}

/** Matches the posts with a failed target or a warning. */
export const problemFilter: PostFilter = { status: 'problem', platform: '' };

/** Whether a post has a failed target or a warning. */
export const hasProblem = ({ status }: Post): boolean => status === 'failed' || status === 'partial';

export function matchesFilter(post: Post, { status, platform }: PostFilter): boolean {
  const isProblem = status === problemFilter.status && hasProblem(post);
  return (
    (status === '' || isProblem || post.status === status) &&
    (platform === '' || post.platforms?.some((target) => target.platform === platform) === true)
  );
}
