import { targetResults, type TargetResult } from 'social-publishing';
import { openDialog } from './dialogs.js';
import { notify } from './notices.js';
import { namesOfPlatforms } from './platform-names.js';
import { findPost } from './posts.js';
import { warningOfPast } from './reschedule.js';
import { sentencesOf } from './sentences.js';
import { formatDateTime, instant } from './time.js';

/** A post as its creation reported it. */
interface Created {
  readonly postId: string;
  readonly status?: string | undefined;
  readonly scheduledFor?: string | undefined;
  readonly failed: readonly TargetResult[];
}

/**
 * Says what happened to a new post. A post whose time is past is published when the clock moves: the notice changes with
 * the post.
 * @param name the subject of the sentence: `The post`
 */
export function notifyOfPost(name: string, created: Created, action = true): void {
  const { postId, scheduledFor } = created;
  const late = scheduledFor === undefined ? '' : warningOfPast(instant(scheduledFor));
  const now = () => {
    const post = findPost(postId);
    const { status = 'created' } = post ?? created;
    const failed = post === undefined ? created.failed : targetResults(post).failed;
    return { status, failed, isBad: status === 'failed' || status === 'partial' || failed.length > 0 };
  };
  notify(
    () => {
      const { status, failed, isBad } = now();
      if (isBad) return `${name} ${status === 'failed' ? 'failed' : 'is published only in part'}. ${errorsOf(failed)}`;
      if (status !== 'scheduled') return `${name} is ${status}.`;
      return `${name} is scheduled for ${formatDateTime(scheduledFor)}. ${late}`.trim();
    },
    () => {
      const { status, isBad } = now();
      if (isBad) return 'bad';
      return late !== '' && status === 'scheduled' ? 'warn' : 'good';
    },
    action
      ? {
          label: 'Open',
          run: () => {
            openDialog.value = { kind: 'post', postId };
          },
        }
      : undefined,
  );
}

/** Names each error once, with its platforms. */
function errorsOf(failed: readonly TargetResult[]): string {
  const platforms = new Map<string, (string | undefined)[]>();
  for (const { platform, error = 'failed' } of failed)
    platforms.set(error, [...(platforms.get(error) ?? []), platform]);
  return sentencesOf([...platforms].map(([error, names]) => `${namesOfPlatforms(names)}: ${error}`));
}
