import { issueAt } from '../../core/options.js';
import type { Issue } from '../../core/errors.js';
import type { MediaItem } from '../../resources/posts.js';

/** What is wrong with media that passed as those of a listed post, and that no event could tell of. */
export function mediaIssues(items: readonly MediaItem[]): Issue[] {
  const issues: Issue[] = [];
  // A thumbnail is a field of events alone.
  for (const [index, item] of (items as readonly (MediaItem & { readonly thumbnail?: unknown })[]).entries()) {
    const { size, thumbnail } = item;
    if (size !== undefined && !(Number.isInteger(size) && size >= 0))
      issues.push(issueAt(['mediaItems', index, 'size'], 'must be an integer of 0 or more'));
    if (thumbnail !== undefined && typeof thumbnail !== 'string')
      issues.push(issueAt(['mediaItems', index, 'thumbnail'], 'must be a string'));
  }
  return issues;
}
