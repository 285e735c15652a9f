/**
 * Writes the metrics of posts and an Instagram account over any range of days as CSV, within a limit of credits.
 *
 * npx tsx examples/programs/analytics-report.ts --since 2026-01-01 --until 2026-12-31 --account ID > report.csv
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY. Every page of posts costs a credit, and so
 * does every 90 days of insights.
 */
import { parseArgs } from 'node:util';
import {
  CreditLimitError,
  instagramMetrics,
  postMetrics,
  SocialPublishing,
  splitDateRange,
  type DateRange,
} from 'social-publishing';

const usage = `Usage: analytics-report --since YYYY-MM-DD --until YYYY-MM-DD [--account ID] [--max-credits N] [--dry-run]

  --account ID     an Instagram account whose insights are added, 90 days per row
  --max-credits N  the most credits to spend (default 25)
  --dry-run        prints the cost, and spends nothing

Exits with 0 if the report is complete, 2 if the credits did not suffice, 1 if it failed.`;

/** The longest ranges that the service accepts. */
const maxPostDays = 366;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      since: { type: 'string' },
      until: { type: 'string' },
      account: { type: 'string' },
      'max-credits': { type: 'string', default: '25' },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { since, until, account } = values;
  if (values.help || since === undefined || until === undefined) {
    (values.help ? console.log : console.error)(usage);
    return values.help ? 0 : 1;
  }
  const client = new SocialPublishing().withBudget(Number(values['max-credits']));
  const ranges = splitDateRange({ since, until }, maxPostDays);
  if (values['dry-run']) {
    const insights = account === undefined ? 0 : client.analytics.planInstagramInsights(query(account, values)).credits;
    console.log(
      `insights: ${String(insights)} credits; posts: ${String(ranges.length)}, and 1 for each further 100 posts`,
    );
    return 0;
  }
  try {
    // The insights come first: their cost is known, and they are refused completely if it is too high.
    if (account !== undefined) await writeInsights(client, account, { since, until });
    await writePosts(client, ranges);
    console.error(`${String(client.creditsUsed)} credits used.`);
    return 0;
  } catch (error) {
    if (!(error instanceof CreditLimitError)) throw error;
    console.error(`The report is not whole. ${error.message}`);
    return 2;
  }
}

const query = (accountId: string, { since, until }: Partial<DateRange>) => ({
  accountId,
  metrics: instagramMetrics,
  since,
  until,
});

async function writeInsights(client: SocialPublishing, accountId: string, days: DateRange): Promise<void> {
  writeRow(['since', 'until', ...instagramMetrics]);
  for await (const { dateRange, metrics } of client.analytics.getInstagramInsightsOver(query(accountId, days))) {
    writeRow([dateRange?.since, dateRange?.until, ...instagramMetrics.map((name) => metrics[name]?.total)]);
  }
}

async function writePosts(client: SocialPublishing, ranges: readonly DateRange[]): Promise<void> {
  writeRow(['published', 'post', 'content', ...postMetrics]);
  for (const { since, until } of ranges) {
    const posts = client.analytics.listPosts({ fromDate: since, toDate: until, order: 'asc', limit: 100 });
    for await (const { publishedAt, postId, content, aggregated = {} } of posts) {
      writeRow([publishedAt, postId, content, ...postMetrics.map((name) => aggregated[name])]);
    }
  }
}

/** A metric that a platform does not report stays empty: it is not 0. */
function writeRow(fields: readonly (string | number | undefined)[]): void {
  const quoted = fields.map((field = '') =>
    /[",\r\n]/.test(String(field)) ? `"${String(field).replaceAll('"', '""')}"` : field,
  );
  console.log(quoted.join(','));
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
