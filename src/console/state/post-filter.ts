import type { Post } from 'social-publishing';

/** The filters of posts; an empty one matches every post. */
export interface PostFilter {
  readonly status: string;
  readonly platform: string;
}

/** Matches the posts with a failed target or a warning. */
export const problemFilter: PostFilter = { status: 'problem', platform: '' };

export function matchesFilter(post: Post, { status, platform }: PostFilter): boolean {
  const isProblem = status === problemFilter.status && (post.status === 'failed' || post.status === 'partial');
  return (
    (status === '' || isProblem || post.status === status) &&
    (platform === '' || post.platforms?.some((target) => target.platform === platform) === true)
  );
}
