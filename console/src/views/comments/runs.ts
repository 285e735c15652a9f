import { remote } from '../../state/remote.js';
import { background } from '../../world/session.js';
import { place } from './commented-posts.js';

/** A run that a comment triggered. */
export interface CommentRun {
  readonly automationId: string;
  readonly name: string;
  readonly status: string;
}

const shownLogs = 200;

/** The runs that comments on the chosen post triggered, by the comment's ID. */
export const commentRuns = remote<ReadonlyMap<string, CommentRun>>(async () => {
  const runs = new Map<string, CommentRun>();
  const account = place.chosen.value?.account;
  if (account?.platform !== 'instagram') return runs;
  const { automations } = background();
  for (const { id, name = id, accountId } of await automations.list()) {
    if (accountId !== account.id) continue;
    for (const log of await automations.listLogs(id, { limit: 100 }).toArray({ maxItems: shownLogs }))
      if (log.commentId !== undefined)
        runs.set(log.commentId, { automationId: id, name, status: log.status ?? 'unknown' });
  }
  return runs;
}, ['comment', 'automation']);
