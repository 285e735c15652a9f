/**
 * Shows the unanswered comments of the last days, newest first.
 *
 * npx tsx examples/programs/comment-inbox.ts --days 3
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY.
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

  --days N  reads posts created in the last N days (default 7)
  --json    one JSON object per line

Exits with 0 if every comment has an answer, 2 if some wait, 1 if a post could not be read: it names the post.`;

const dayMs = 86_400_000;

interface Waiting {
  readonly platform: string;
  readonly url: string | undefined;
  readonly comment: Comment;
}

/** The comments under one target of a post. */
interface Look {
  readonly waiting: readonly Waiting[];
  /** The target that could not be read, and why. */
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
  // All targets are read in parallel; the client limits the requests in flight to four.
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
  for (const where of missed) console.error(`could not read ${where}`);
  const isDone = waiting.length === 0 && missed.length === 0;
  if (!values.json) console.log(isDone ? 'Every comment has an answer.' : `${String(waiting.length)} wait.`);
  return missed.length > 0 ? 1 : isDone ? 0 : 2;
}

/** Reads the comments of one post on each platform with comments. */
function looksAt(client: SocialPublishing, post: Post, accounts: readonly Integration[]): Promise<Look>[] {
  return targetResults(post).all.map(async ({ platform, accountId, state, url }, index): Promise<Look> => {
    // The results keep the order of the targets; only targets have the post's ID on the platform.
    const postId = post.platforms?.[index]?.platformPostId;
    if (!isCommentPlatform(platform) || (postId === undefined && state !== 'published')) return { waiting: [] };
    try {
      if (postId === undefined) throw new Error('its ID on the platform is unknown');
      const owners = accountId === undefined ? ownersOf(post, platform, accounts) : [accountId];
      const comments = await unanswered(client, { platform, postId, owners }, accounts);
      return { waiting: comments.map((comment) => ({ platform, url, comment })) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { waiting: [], missed: `${platform} of ${post.postId}: ${why}` };
    }
  });
}

/**
 * Returns the accounts that may own a target if the list does not show its account: the requested ones, else all
 * connected ones.
 */
function ownersOf(post: Post, platform: CommentPlatform, accounts: readonly Integration[]): string[] {
  const { length } = (post.platforms ?? []).filter((target) => target.platform === platform);
  const asked = post.rawRequestBody?.['platforms'];
  const requested = (Array.isArray(asked) ? asked : []).flatMap((target?: Readonly<Record<string, unknown>> | null) => {
    const { platform: on, accountId } = target ?? {};
    return on === platform && typeof accountId === 'string' ? [accountId] : [];
  });
  // An edited post may have more targets than the request.
  if (requested.length >= length) return requested;
  const connected = accounts.flatMap((account) => (account.platform === platform ? [account.id] : []));
  if (connected.length < length) throw new Error('its account is unknown');
  return connected;
}

/** Returns the comments that no account wrote or replied to. */
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
      // A connected account that doesn't know the post isn't its owner, if there are several.
      if (error instanceof NotFoundError && owners.length > 1 && own.some(({ id }) => id === accountId)) return [];
      throw error;
    }
  });
  const answers = await Promise.allSettled(asks);
  const all = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  // If nothing was found, the comments may belong to the account that could not be read.
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
