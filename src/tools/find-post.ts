import type { Post } from '../resources/post-shapes.js';
import type { ToolsClient } from './tool-context.js';

/** The largest page: the fewest requests. */
const pageSize = 100;

/** Searches the list for a post: the API document shows no way to read one. */
export async function findPost(
  { posts }: ToolsClient,
  postId: string,
  signal: AbortSignal | undefined,
): Promise<Post | undefined> {
  for await (const post of posts.list({ limit: pageSize }, { signal })) {
    if (post.postId === postId) return post;
  }
  return undefined;
}
