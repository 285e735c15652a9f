import { issueAt } from '../../core/options.js';
import type { Issue } from '../../core/errors.js';
import type { MediaItem } from '../../resources/posts.js';

/** Returns the issues of media that pass as media of a listed post but could not be part of an event. */
export function mediaIssues(items: readonly MediaItem[]): Issue[] {
  const issues: Issue[] = [];
  // Only events have a thumbnail.
  for (const [index, item] of (items as readonly (MediaItem & { readonly thumbnail?: unknown })[]).entries()) {
    const { size, thumbnail } = item;
    if (size !== undefined && !(Number.isInteger(size) && size >= 0))
      issues.push(issueAt(['mediaItems', index, 'size'], 'must be an integer of 0 or more'));
    if (thumbnail !== undefined && typeof thumbnail !== 'string')
      issues.push(issueAt(['mediaItems', index, 'thumbnail'], 'must be a string'));
  }
  return issues;
}
