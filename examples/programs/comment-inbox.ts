/**
 * Shows the comments of the last days that nobody has answered, the newest first.
 *
 *     npx tsx examples/programs/comment-inbox.ts --days 3
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY.
 */
import { parseArgs } from 'node:util';
import { isCommentPlatform, SocialPublishing, targetResults, type Comment, type Post } from 'social-publishing';

const usage = `Usage: comment-inbox [--days N] [--json]

  --days N  looks at posts that were created in the last N days (default 7)
  --json    one JSON object a line

Ends with 0 where every comment has an answer, 2 where some wait, 1 where it could not look.`;

const dayMs = 86_400_000;

interface Waiting {
  readonly platform: string;
  readonly url: string | undefined;
  readonly comment: Comment;
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
  const ownIds = new Map(accounts.map(({ id, platformUserId }) => [id, platformUserId]));
  const posts = await client.posts.list({ createdAfter: new Date(Date.now() - days * dayMs), limit: 100 }).toArray();
  const waiting = (await Promise.all(posts.map((post) => unanswered(client, post, ownIds)))).flat();
  waiting.sort((a, b) => Date.parse(b.comment.timestamp ?? '') - Date.parse(a.comment.timestamp ?? ''));
  for (const { platform, url = '', comment } of waiting) {
    if (values.json) console.log(JSON.stringify({ platform, url, ...comment }));
    else console.log(`${platform}  ${comment.author?.name ?? 'somebody'}: ${comment.text ?? ''}\n    ${url}`);
  }
  if (!values.json) console.log(waiting.length === 0 ? 'Every comment has an answer.' : `${waiting.length} wait.`);
  return waiting.length === 0 ? 0 : 2;
}

/** The comments of one post, on all of its platforms, that its own accounts neither wrote nor replied to. */
async function unanswered(
  client: SocialPublishing,
  post: Post,
  ownIds: ReadonlyMap<string, string | undefined>,
): Promise<Waiting[]> {
  const lists = targetResults(post).all.map(async ({ platform, accountId, url }, index): Promise<Waiting[]> => {
    // The results stand in the order of the targets, which alone know the post's ID on the platform.
    const postId = post.platforms?.[index]?.platformPostId;
    if (!isCommentPlatform(platform) || accountId === undefined || postId === undefined) return [];
    const own = ownIds.get(accountId);
    const isOwn = ({ author }: Pick<Comment, 'author'>) => own !== undefined && author?.id === own;
    const comments = await client.comments.list({ platform, accountId, postId, limit: 100 }).toArray();
    return comments
      .filter((comment) => comment.hidden !== true && !isOwn(comment) && !(comment.replies ?? []).some(isOwn))
      .map((comment) => ({ platform, url, comment }));
  });
  return (await Promise.all(lists)).flat();
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
