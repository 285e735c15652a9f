/**
 * Prints the posts of yesterday that failed, or failed on some accounts. It also finds posts without `scheduledFor`, which
 * were published immediately. It only reads, so you can run it again at any time.
 *
 * npx tsx examples/programs/failed-yesterday.ts --zone Europe/Berlin
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY.
 */
import { parseArgs } from 'node:util';
import { SocialPublishing, targetResults, zonedTime, type ListPostsQuery, type Post } from 'social-publishing';

const usage = `Usage: failed-yesterday [--zone ZONE] [--day YYYY-MM-DD] [--json]

  --zone ZONE        the time zone of the day, for example Europe/Berlin (default UTC)
  --day YYYY-MM-DD   another day than yesterday
  --json             one JSON object per line

Exits with 0 if no post failed, 2 if some did, 1 if the posts could not be read.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      zone: { type: 'string', default: 'UTC' },
      day: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const { zone } = values;
  const day = values.day ?? addDays(dayIn(zone), -1);
  // At midnight, clocks can change: the day then begins at the first time that exists.
  const startOf = (date: string) => Date.parse(zonedTime(`${date}T00:00`, zone, { gap: 'later', overlap: 'earlier' }));
  const failed = await failedPosts(new SocialPublishing(), startOf(day), startOf(addDays(day, 1)));
  for (const post of failed) print(post, values.json);
  return failed.length === 0 ? 0 : 2;
}

/** Returns the failed posts from one time up to another, the earliest first. */
async function failedPosts(client: SocialPublishing, from: number, to: number): Promise<Post[]> {
  // The API document does not say whether the bounds are included, so it reads more, and compares the times itself.
  const [after, before] = [new Date(from - 60_000), new Date(to + 60_000)];
  const queries: ListPostsQuery[] = [
    { scheduledAfter: after, scheduledBefore: before },
    // A post that was published immediately has no scheduledFor: its creation counts.
    { createdAfter: after, createdBefore: before },
  ];
  const found = new Map<string, Post>();
  for (const status of ['failed', 'partial'] as const)
    for (const query of queries)
      for await (const post of client.posts.list({ ...query, status, limit: 100 })) {
        const time = timeOf(post);
        // A partial post may have only warnings.
        const hasFailed = status === 'failed' || targetResults(post).failed.length > 0;
        if (hasFailed && time >= from && time < to) found.set(post.postId, post);
      }
  return [...found.values()].sort((one, other) => timeOf(one) - timeOf(other));
}

const timeOf = ({ scheduledFor, createdAt = '' }: Post): number => Date.parse(scheduledFor ?? createdAt);

function print(post: Post, asJson: boolean): void {
  const { postId, status, content = '', scheduledFor, createdAt = '' } = post;
  const { failed } = targetResults(post);
  const targets = failed.map(({ platform, accountId, error }) => ({ platform, accountId, error }));
  if (asJson) {
    console.log(JSON.stringify({ postId, status, content, time: scheduledFor ?? createdAt, targets }));
    return;
  }
  console.log(`${postId}  ${scheduledFor ?? createdAt}  ${content}`);
  for (const { platform = '', error = '' } of targets) console.log(`  ${platform}: ${error}`);
}

const dayIn = (timeZone: string): string => new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format();

function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
