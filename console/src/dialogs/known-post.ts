import { useRef } from 'preact/hooks';
import type { Post } from 'social-publishing';
import { findPost } from '../state/posts.js';

/** Returns a post, as it was last known if it was removed meanwhile: its form keeps the text of the user. */
export function useKnownPost(postId: string): Post | undefined {
  const last = useRef<Post | undefined>(undefined);
  last.current = findPost(postId) ?? last.current;
  return last.current;
}
