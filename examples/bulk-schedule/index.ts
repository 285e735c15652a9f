/**
 * Schedules a campaign from a table: every row once, whatever crashes. Stop it, kill it, run it again: it goes on.
 *
 *     npx tsx examples/bulk-schedule/index.ts campaign.csv --dry-run
 *     npx tsx examples/bulk-schedule/index.ts campaign.csv
 *     cat campaign.csv | npx tsx examples/bulk-schedule/index.ts - --name spring
 *
 * It needs SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY. What it did is kept in `bulk-schedule.db` (Node
 * 22.13 or later), or where DATABASE_URL (Postgres) or REDIS_URL names a server.
 */
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { SocialPublishing } from 'social-publishing';
import { createPublisher, type Publisher, type PublishProgress } from 'social-publishing/publisher';
import { carryOut, type Held } from './carry-out.js';
import { isPast, lateProblem, lateProblems } from './late.js';
import { readCampaign, type Problem, type Row, type Rules } from './rows.js';
import { adviceLines, drawBar, endBar, errorText, heldLine, problemLine, summary, table } from './screen.js';
import { hasStore, openStore, type OpenStore } from './store.js';
import { takeWord, unknownWords, watchLooks, type FailedLooks, type Word } from './words.js';

const usage = `Usage: bulk-schedule FILE.csv|- [--dry-run] [--name NAME] [--db FILE] [--concurrency N]
                     [--gap earlier|later] [--overlap earlier|later] [--not-sent KEY]…

Columns: key, content, time (2030-03-29T09:00), zone (Europe/Berlin), targets (platform:accountId …)`;

/** How long others, and a later run, leave a row alone that is being sent. They never send it: they look for it. */
const leaseMs = 5_000;

const exit = { ok: 0, bad: 1, held: 2, stopped: 130 } as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      name: { type: 'string' },
      db: { type: 'string', default: 'bulk-schedule.db' },
      concurrency: { type: 'string', default: '4' },
      'not-sent': { type: 'string', multiple: true, default: [] },
      gap: { type: 'string', default: 'reject' },
      overlap: { type: 'string', default: 'reject' },
    },
  });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    console.error(usage);
    return exit.bad;
  }
  const failed: FailedLooks = { count: 0, message: '' };
  const client = new SocialPublishing({ hooks: watchLooks(failed) });
  const name = values.name ?? (file === '-' ? 'stdin' : basename(file, extname(file)));
  const csv = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8'));
  // zonedTime says which words there are.
  const choices = { gap: values.gap, overlap: values.overlap } as Pick<Rules, 'gap' | 'overlap'>;
  const campaign = readCampaign(csv, { name, platforms: await platformsOf(client), ...choices });
  const words = values['not-sent'].map((key) => ({ said: `--not-sent ${key}`, key: `${name}/${key}` }));
  const isDry = values['dry-run'];
  // A campaign that will not be sent needs the store only to know which of its past rows were sent in time.
  const willSend = !isDry && campaign.problems.length === 0;
  const needsStore = willSend || (campaign.rows.some(isPast) && hasStore(values.db));
  const kept = needsStore ? await openPublisher(client, values.db).catch(unless(campaign.problems)) : undefined;
  try {
    const isUnknown = needsStore && kept === undefined;
    const problems = isUnknown ? [] : await lateProblems(kept?.publisher, campaign.rows, words);
    if (!isFine(campaign.rows, [...campaign.problems, ...problems])) return exit.bad;
    if (isDry || kept === undefined) return showOnly(campaign.rows);
    const follow = (word: Word) => takeWord(kept.publisher, word, failed);
    return await schedule(kept, campaign.rows, { words, follow }, Number(values.concurrency));
  } finally {
    await kept?.close();
  }
}

/** What is wrong with the campaign is told, whatever else is: a store that can't be opened comes after it. */
function unless(problems: readonly Problem[]): (error: unknown) => undefined {
  return (error) => {
    if (problems.length === 0) throw error;
    return undefined;
  };
}

interface Kept extends Pick<OpenStore, 'name' | 'close'> {
  readonly publisher: Publisher;
}

async function openPublisher(client: SocialPublishing, db: string): Promise<Kept> {
  const { store, ...kept } = await openStore(db);
  return { publisher: createPublisher({ client, store, leaseMs }), ...kept };
}

function showOnly(rows: readonly Row[]): number {
  console.log(table(rows));
  console.log(`\n${rows.length} posts. Nothing was sent.`);
  return exit.ok;
}

async function platformsOf(client: SocialPublishing): Promise<Map<string, string>> {
  const integrations = await client.integrations.list({ limit: 100 }).toArray();
  return new Map(integrations.map(({ id, platform = '' }) => [id, platform]));
}

/** All rows are checked before the first one is sent: half a campaign helps nobody. */
function isFine(rows: readonly Row[], problems: readonly Problem[]): boolean {
  const inOrder = [...problems].sort((one, other) => one.line - other.line);
  for (const problem of inOrder) console.error(problemLine(problem));
  if (problems.length > 0) console.error(`\n${problems.length} problems. Nothing was sent.`);
  else if (rows.length === 0) console.error('The campaign has no rows.');
  return problems.length === 0 && rows.length > 0;
}

async function schedule(
  { publisher, name }: Kept,
  rows: readonly Row[],
  { words, follow }: { words: readonly Word[]; follow: (word: Word) => Promise<string | undefined> },
  concurrency: number,
): Promise<number> {
  const stop = new AbortController();
  // What is under way is finished and noted; a second Ctrl-C does not wait for that.
  process.once('SIGINT', () => {
    stop.abort();
  });
  const unknown = await unknownWords(publisher, rows, words);
  for (const message of unknown) console.error(message);
  if (unknown.length > 0) return exit.bad;
  for (const word of words) {
    const message = await follow(word);
    if (message !== undefined) console.error(message);
  }
  let counts = 'nothing';
  const onProgress = (progress: PublishProgress) => {
    counts = summary(progress);
    drawBar({ ...progress, total: rows.length });
  };
  const onWait = (count: number) => {
    endBar();
    console.log(`${counts} (kept in ${name})`);
    if (count > 0) console.log(`Waiting for ${count} more …`);
  };
  const open = await carryOut(publisher, rows, { concurrency, signal: stop.signal, onProgress, onWait });
  if (!stop.signal.aborted) return report(rows, open);
  console.error('Stopped. Run it again: it goes on where it was, and sends nothing twice.');
  return exit.stopped;
}

function report(rows: readonly Row[], open: ReadonlyMap<string, Held>): number {
  for (const row of rows) {
    const held = open.get(row.key);
    if (held !== undefined) console.error(held === 'late' ? problemLine(lateProblem(row)) : heldLine(row, held));
  }
  if (open.size === 0) {
    console.log(`All ${rows.length} rows are scheduled.`);
    return exit.ok;
  }
  console.error(`${open.size} rows are not scheduled.`);
  for (const line of adviceLines([...open.values()].filter((held) => held !== 'late'))) console.error(line);
  return exit.held;
}

try {
  process.exitCode = await main();
} catch (error) {
  // The message alone: errors of drivers hold the URL, and with it the password.
  console.error(errorText(error));
  process.exitCode = exit.bad;
}
