/**
 * Shows the comments of the last days that nobody has answered, the newest first.
 *
 *     npx tsx examples/programs/comment-inbox.ts --days 3
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY.
 */
import { parseArgs } from 'node:util';
import {
  isCommentPlatform,
  NotFoundError,
  SocialPublishing,
  targetResults,
  type Comment,
  type CommentPlatform,
  type Integration,
  type Post,
} from 'social-publishing';

const usage = `Usage: comment-inbox [--days N] [--json]

  --days N  looks at posts that were created in the last N days (default 7)
  --json    one JSON object a line

Ends with 0 where every comment has an answer, 2 where some wait, 1 where it could not look, be it at one
post: it says at which.`;

const dayMs = 86_400_000;

interface Waiting {
  readonly platform: string;
  readonly url: string | undefined;
  readonly comment: Comment;
}

/** What was found under one target of a post. */
interface Look {
  readonly waiting: readonly Waiting[];
  /** Where nobody could look, and why. */
  readonly missed?: string;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      days: { type: 'string', default: '7' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const days = Number(values.days);
  if (!(days > 0)) throw new RangeError('--days must be a number above 0');
  // All targets are asked at once; the client sees to it that no more than four requests are under way.
  const client = new SocialPublishing({ limits: { concurrency: 4 } });
  const accounts = await client.integrations.list({ limit: 100 }).toArray();
  const posts = await client.posts.list({ createdAfter: new Date(Date.now() - days * dayMs), limit: 100 }).toArray();
  const looks = await Promise.all(posts.flatMap((post) => looksAt(client, post, accounts)));
  const waiting = looks.flatMap((look) => look.waiting);
  const missed = looks.flatMap((look) => look.missed ?? []);
  waiting.sort((a, b) => Date.parse(b.comment.timestamp ?? '') - Date.parse(a.comment.timestamp ?? ''));
  for (const { platform, url = '', comment } of waiting) {
    if (values.json) console.log(JSON.stringify({ platform, url, ...comment }));
    else console.log(`${platform}  ${comment.author?.name ?? 'somebody'}: ${comment.text ?? ''}\n    ${url}`);
  }
  for (const where of missed) console.error(`could not look at ${where}`);
  const isDone = waiting.length === 0 && missed.length === 0;
  if (!values.json) console.log(isDone ? 'Every comment has an answer.' : `${String(waiting.length)} wait.`);
  return missed.length > 0 ? 1 : isDone ? 0 : 2;
}

/** Looks at all that one post has become on platforms with comments. */
function looksAt(client: SocialPublishing, post: Post, accounts: readonly Integration[]): Promise<Look>[] {
  return targetResults(post).all.map(async ({ platform, accountId, state, url }, index): Promise<Look> => {
    // The results stand in the order of the targets, which alone know the post's ID on the platform.
    const postId = post.platforms?.[index]?.platformPostId;
    if (!isCommentPlatform(platform) || (postId === undefined && state !== 'published')) return { waiting: [] };
    try {
      if (postId === undefined) throw new Error('its ID on the platform is not told');
      const owners = accountId === undefined ? ownersOf(post, platform, accounts) : [accountId];
      const comments = await unanswered(client, { platform, postId, owners }, accounts);
      return { waiting: comments.map((comment) => ({ platform, url, comment })) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { waiting: [], missed: `${platform} of ${post.postId}: ${why}` };
    }
  });
}

/** The accounts of which one has a target, where the list does not tell which: those requested, else all connected. */
function ownersOf(post: Post, platform: CommentPlatform, accounts: readonly Integration[]): string[] {
  const { length } = (post.platforms ?? []).filter((target) => target.platform === platform);
  const asked = post.rawRequestBody?.['platforms'];
  const requested = (Array.isArray(asked) ? asked : []).flatMap((target?: Readonly<Record<string, unknown>> | null) => {
    const { platform: on, accountId } = target ?? {};
    return on === platform && typeof accountId === 'string' ? [accountId] : [];
  });
  // A post that was edited since may have more targets than were requested.
  if (requested.length >= length) return requested;
  const connected = accounts.flatMap((account) => (account.platform === platform ? [account.id] : []));
  if (connected.length < length) throw new Error('the account that it belongs to is not told');
  return connected;
}

/** The comments that none of the accounts wrote or replied to. */
async function unanswered(
  client: SocialPublishing,
  { platform, postId, owners }: { platform: CommentPlatform; postId: string; owners: readonly string[] },
  accounts: readonly Integration[],
): Promise<Comment[]> {
  const own = accounts.filter(({ id }) => owners.includes(id));
  const isOwn = ({ author }: Pick<Comment, 'author'>) =>
    author?.id !== undefined && own.some(({ platformUserId }) => platformUserId === author.id);
  const asks = owners.map(async (accountId) => {
    try {
      return await client.comments.list({ platform, accountId, postId, limit: 100 }).toArray();
    } catch (error) {
      // One of several that is connected, and does not know the post, is not whose it is.
      if (error instanceof NotFoundError && owners.length > 1 && own.some(({ id }) => id === accountId)) return [];
      throw error;
    }
  });
  const answers = await Promise.allSettled(asks);
  const all = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  // Where nothing was found, it may be under the account that could not be asked.
  if (all.length === 0) await Promise.all(asks);
  // A platform may show the same comments to each account.
  const found = new Map(all.map((comment) => [comment.id, comment]));
  return [...found.values()].filter(
    (comment) => comment.hidden !== true && !isOwn(comment) && !(comment.replies ?? []).some(isOwn),
  );
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
