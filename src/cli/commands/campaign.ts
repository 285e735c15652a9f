/** `campaign`: schedules the rows of a table, each once. */
import { basename, extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import type { Integration, PreflightFinding, SocialPublishing, ZonedTimeOptions } from '../../index.js';
import { goesOutSoon, requestOf } from '../../posts/read-create.js';
import type { Intent, PublishProgress, Publisher } from '../../publisher/index.js';
import { isWaiting } from '../../publisher/search-again.js';
import { readCampaign, type Problem, type Row } from '../campaign-rows.js';
import { intentLine, newCommand, onRun, storeOptions, type Session } from '../command.js';
import { connect, preparePost } from '../connection.js';
import { UsageError, exitCodes, interruptedCode, type ExitCode } from '../errors.js';
import { confirm, readText } from '../input.js';
import { counted, recordText } from '../output.js';
import {
  dryFindings,
  findingsExitCode,
  findingText,
  intentExitCode,
  nextStep,
  outageNote,
  stopped,
  waitText,
  withPublisher,
  worstExitCode,
  type OpenPublisher,
} from '../publisher.js';
import { conflictText } from '../report-error.js';

const choices = ['earlier', 'later'];

export function campaignCommand(session: Session): Command {
  const command = newCommand(
    'campaign',
    'Schedules the rows of a table, each once. After a crash, run it again: it continues.\n' +
      'Columns: key, content, time (2030-03-29T09:00), zone (Europe/Berlin), targets (platform:accountId …).',
    'social-publishing campaign campaign.csv --dry-run\nsocial-publishing campaign campaign.csv --wait',
  )
    .argument('<file>', 'the table as CSV; - for stdin')
    .option('--name <name>', 'the start of every key; default: the name of the file')
    .option('--delimiter <character>', 'the character between columns, or tab; default: a comma, or the one of sep=')
    .option('--concurrency <n>', 'requests at the same time; default 4')
    .addOption(new Option('--gap <choice>', 'for times that clocks skip; default: a problem').choices(choices))
    .addOption(new Option('--overlap <choice>', 'for times that clocks repeat; default: a problem').choices(choices))
    .option('--wait', 'wait for rows that another process is sending');
  const groups = ['sendAhead', 'checkedDryRun', 'confirmation', 'format', 'service', 'store'] as const;
  return onRun(command, session, runCampaign, ...groups);
}

/**
 * How long other processes and later runs ignore a row that is being sent. After that, they search for its post. They
 * never send it.
 */
const leaseMs = 5_000;

async function runCampaign(session: Session, [file = '']: readonly string[]): Promise<ExitCode> {
  const { world } = session;
  const client = await connect(session);
  const concurrency = session.wholeNumber('concurrency') ?? 4;
  const delimiter = delimiterOf(session);
  const csv = await readText(world, file, 'The table');
  const name = session.text('name') ?? (file === '-' ? 'stdin' : basename(file, extname(file)));
  // Commander has checked both choices.
  const choices = { gap: session.text('gap'), overlap: session.text('overlap') } as ZonedTimeOptions;
  const isDry = session.isSet('dryRun');
  const integrations = await readAccounts(session, client);
  const platforms = integrations && new Map(integrations.map(({ id, platform = '' }) => [id, platform]));
  const { rows, problems } = readCampaign(csv, { name, platforms, delimiter, ...choices });
  check(rows, problems);
  const checkTimes = async ({ publisher }: OpenPublisher) => {
    const late: (Problem | undefined)[] = [];
    for (const row of rows) late.push(await lateProblem(publisher, row, world.now(), storeOptions(session)));
    check(rows, late);
  };
  if (isDry) {
    // Without past rows, it needs no store. It never creates one.
    if (rows.some(({ body }) => isPast(body, world.now())))
      await withPublisher(session, { ifMissing: 'empty' }, checkTimes);
    return printRows(session, client, { rows, integrations });
  }
  return withPublisher(session, { client, leaseMs }, async (opened) => {
    await checkTimes(opened);
    await confirmSoon(session, rows, opened.publisher);
    return send(session, { rows, opened, concurrency });
  });
}

function delimiterOf(session: Session): string | undefined {
  const text = session.text('delimiter');
  if (text === undefined || text === 'tab') return text && '\t';
  if (/^[^"\r\n\w]$/u.test(text)) return text;
  throw new UsageError("--delimiter must be one character, such as ';', or tab.");
}

/** Returns all accounts. `undefined`: a dry run continues without them. */
async function readAccounts(session: Session, client: SocialPublishing): Promise<Integration[] | undefined> {
  const list = () => client.integrations.list({ limit: 100 }).toArray();
  if (!session.isSet('dryRun')) return list();
  return session.value('preflight') === false ? undefined : list().catch(() => undefined);
}

/**
 * All rows are checked before the first one is sent.
 * @throws UsageError
 */
function check(rows: readonly Row[], problems: readonly (Problem | undefined)[]): void {
  const found = problems.flatMap((problem) => problem ?? []);
  if (found.length > 0)
    throw new UsageError(
      `${found.map(problemLine).join('\n')}\n\n${counted(found.length, 'problem')}. Nothing was sent.`,
      found,
    );
  if (rows.length === 0) throw new UsageError('The campaign has no rows.');
}

/**
 * Prints the request of each row in a dry run. On a terminal, it prints a table, because the requests differ only in
 * their bodies.
 */
async function printRows(
  session: Session,
  client: SocialPublishing,
  { rows, integrations }: { readonly rows: readonly Row[]; readonly integrations: readonly Integration[] | undefined },
): Promise<ExitCode> {
  const { output } = session;
  const prepare = ({ body }: Row) => preparePost(client, body);
  const planned = rows.map(({ line, key, body }) => ({ name: `Line ${line}`, key, body }));
  const findings = await dryFindings(session, client, planned, integrations);
  const [first] = rows;
  if (output.format === 'text' && first !== undefined) {
    const { method, route, url, headers } = await prepare(first);
    output.line(`${recordText({ method, route, url, headers })}\n`);
  }
  async function* requests() {
    for (const [index, row] of rows.entries()) {
      const { line, key, body } = row;
      const { scheduledFor, platforms, content } = body;
      if (output.format === 'text') yield { line, key, scheduledFor, platforms, content };
      else yield { line, key, dryRun: true, ...(await prepare(row)), findings: findings[index] };
    }
  }
  await output.list(requests(), { columns: ['line', 'key', 'scheduledFor', 'platforms', 'content'] });
  if (output.format === 'text') for (const line of findingLines(rows, findings)) output.line(line);
  output.note(`${counted(rows.length, 'post')}. Nothing was sent.`);
  return findingsExitCode(findings.flatMap((found) => found ?? []));
}

/** Each finding once, with its lines. */
function findingLines(rows: readonly Row[], findings: readonly (readonly PreflightFinding[] | undefined)[]): string[] {
  const lines = new Map<string, number[]>();
  for (const [index, { line }] of rows.entries())
    for (const text of findings[index]?.map(findingText) ?? []) lines.set(text, [...(lines.get(text) ?? []), line]);
  return [...lines].map(
    ([text, of]) => `${of.length === rows.length ? 'all lines' : `line ${of.join(', ')}`}: ${text}`,
  );
}

async function confirmSoon(session: Session, rows: readonly Row[], publisher: Publisher): Promise<void> {
  const soon: Row[] = [];
  for (const row of rows) {
    if (!goesOutSoon(requestOf(row), session.world.now())) continue;
    const { state = 'ready' } = (await publisher.get(row.key)) ?? {};
    if (state === 'ready') soon.push(row);
  }
  if (soon.length > 0) await confirm(session, `${counted(soon.length, 'post')} to go out within 5 minutes.`);
}

interface Sending {
  readonly rows: readonly Row[];
  readonly opened: OpenPublisher;
  readonly concurrency: number;
}

async function send(session: Session, sending: Sending): Promise<ExitCode> {
  const { output, world } = session;
  const { rows, opened, concurrency } = sending;
  const isTerminal = world.stderr.isTTY === true;
  let counts = 'nothing';
  const onOutage = outageNote(session);
  const results = await sendRows(opened.publisher, rows, {
    concurrency,
    signal: world.signal,
    now: world.now,
    storeOptions: storeOptions(session),
    waitForLeases: session.isSet('wait'),
    onProgress: (progress) => {
      counts = summary(progress);
      // The progress bar overwrites itself, to the end of the line.
      if (isTerminal) world.stderr.write(`\r${bar(progress, rows.length)}\x1b[K`);
      else onOutage(progress);
    },
    onOutage,
    onWait: (count) => {
      if (isTerminal) world.stderr.write('\n');
      output.note(`${counts} (kept in ${opened.store})`);
      if (count > 0) output.note(`Waiting for ${count} more …`);
    },
  });
  report(session, sending, results);
  if (world.signal.aborted) {
    output.note(stopped);
    return interruptedCode(world.signal);
  }
  if (results.size < rows.length)
    output.note(
      'The service did not answer for too long. Run the command again: it continues, and sends nothing twice.',
    );
  const codes = rows.map(({ key }) => {
    const result = results.get(key);
    return isIntent(result) ? intentExitCode(result, world.now()) : exitCodes.failure;
  });
  return worstExitCode(codes);
}

function report(session: Session, { rows, opened }: Sending, results: ReadonlyMap<string, RowResult>): void {
  const { output, world } = session;
  const { store, warnings } = opened;
  const options = storeOptions(session);
  const lines = rows.map((row) => ({ row, result: results.get(row.key) }));
  const intents = lines.flatMap(({ row, result }) => (isIntent(result) ? [{ row, intent: result }] : []));
  const unsettled = intents.filter(({ intent }) => intent.postId === undefined);
  const held = unsettled.filter(({ intent }) => !isWaiting(intent, world.now()));
  const [scheduled, waiting] = [intents.length - unsettled.length, unsettled.length - held.length];
  for (const { result } of lines) if (result !== undefined && !isIntent(result)) output.note(problemLine(result));
  for (const { row, intent } of held) output.note(heldLine(row, intent));
  const heldIntents = held.map(({ intent }) => intent);
  for (const line of adviceLines(heldIntents, options, world.now())) output.note(line);
  if (waiting > 0)
    output.note(
      `Rows that wait until their sendAt: ${waiting}. Run this regularly: social-publishing intents sweep${options}`,
    );
  if (output.format === 'text')
    output.line(
      scheduled === rows.length
        ? `All ${rows.length} rows are scheduled.`
        : `${scheduled} of ${rows.length} rows are scheduled${waiting > 0 ? `, ${waiting} wait` : ''}.`,
    );
  else if (output.format === 'ndjson') for (const { row, result } of lines) output.result(rowResult(row, result));
  else
    output.result({
      total: rows.length,
      scheduled,
      ...(waiting > 0 && { waiting }),
      store,
      warnings,
      rows: lines.map(({ row, result }) => rowResult(row, result)),
    });
}

function rowResult({ line, key }: Row, result: RowResult | undefined) {
  if (result === undefined) return { line, key, state: 'not_tried' };
  if (!isIntent(result)) return { line, key, state: 'late' };
  const { state, postId, sendAt, error } = result;
  return { line, key, state, postId, sendAt, error };
}

function problemLine({ line, field, message }: Problem): string {
  return `line ${line}, ${field}: ${message}`;
}

/** A row without a post. */
function heldLine({ line }: Row, { state, error }: Intent): string {
  return `line ${line}: ${state}: ${error?.message ?? 'not settled yet'}`;
}

/** Returns the advice about rows without a post, each text once. KEY means the key of the row. */
function adviceLines(held: readonly Intent[], options: string, now: number): Set<string> {
  const sentAt = held
    .flatMap(({ state, sentAt }) => (state === 'in_doubt' || state === 'sending' ? (sentAt ?? []) : []))
    .sort()
    .at(-1);
  return new Set(
    held.flatMap((intent) => {
      const { state, error } = intent;
      // Nothing was sent, for example because the key has another body. Then the message itself says what to do.
      if (state === 'rejected' && error?.outcome === 'not_sent') return [];
      // The row is due. Without its own times, equal advice is shown once.
      const next = nextStep({ ...intent, key: 'KEY', sendAt: undefined, sentAt }, options, 'this command', now);
      return next === undefined ? [] : [`${state}: ${next}`];
    }),
  );
}

function countsOf({
  total: _total,
  waitingMs: _waitingMs,
  waitingSince: _since,
  ...counts
}: PublishProgress): [string, number][] {
  return Object.entries(counts);
}

/** A line that shows the progress of the campaign, or for what it waits. */
export function bar(progress: PublishProgress, total: number): string {
  const done = countsOf(progress).reduce((sum, [, count]) => sum + count, 0);
  const wait = waitText(progress);
  // A line with the wait must fit into 80 columns too.
  const width = wait === undefined ? 30 : 10;
  const filled = Math.round((width * done) / total);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done} of ${total}  ${wait ?? summary(progress)}`;
}

/** Counts the rows by state, for example `12 accepted, 1 rejected`. */
export function summary(progress: PublishProgress): string {
  const found = countsOf(progress).filter(([, count]) => count > 0);
  return found.map(([state, count]) => `${count} ${state === 'inDoubt' ? 'in doubt' : state}`).join(', ') || 'nothing';
}

// The rows are sent, then those that another process was sending.

/** The pause before another pass over rows that another process is sending. */
const pauseMs = 1_000;
/** After this time, these rows are left to the next run. */
const patienceMs = 60_000;

export interface SendRowsOptions {
  readonly concurrency: number;
  /** After an abort, started requests are finished and recorded. No other request starts. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The options that choose the store. */
  readonly storeOptions: string;
  /** Whether to wait for rows that another process is sending. */
  readonly waitForLeases: boolean;
  /** Called after each row of the first pass. */
  readonly onProgress: (progress: PublishProgress) => void;
  /** Called in later passes, over rows that another process was sending. */
  readonly onOutage: (progress: PublishProgress) => void;
  /** Called after the first pass, with the number of rows that later passes wait for. */
  readonly onWait: (count: number) => void;
}

/** The result of a row: its intent, or the problem that its time passed before it was sent. */
type RowResult = Intent | Problem;

export function isIntent(result: RowResult | undefined): result is Intent {
  return result !== undefined && 'state' in result;
}

/** Returns the results of the rows by their keys. A row that was not tried has no result. */
export async function sendRows(
  publisher: OpenPublisher['publisher'],
  rows: readonly Row[],
  options: SendRowsOptions,
): Promise<Map<string, RowResult>> {
  const { concurrency, signal, now, storeOptions, waitForLeases, onProgress, onOutage, onWait } = options;
  const results = new Map<string, RowResult>();
  // An intent can have another Unicode form of the row's key: file systems change the form of file names.
  const keyOfRow = new Map(rows.map(({ key }) => [key.normalize('NFC'), key]));
  // Checked right before each row: its time can pass while others are sent.
  async function* inTime(some: readonly Row[]): AsyncGenerator<Row, void, undefined> {
    for (const row of some) {
      if (signal.aborted) return;
      const late = await lateProblem(publisher, row, now(), storeOptions);
      if (late === undefined) yield row;
      else results.set(row.key, late);
    }
  }
  const pass = async (some: readonly Row[], report: typeof onProgress) => {
    const passOptions = { concurrency, signal, onProgress: report };
    for await (const intent of publisher.publishMany(inTime(some), passOptions, 'finish'))
      results.set(keyOfRow.get(intent.key.normalize('NFC')) ?? intent.key, withOwnAdvice(intent));
  };
  await pass(rows, onProgress);
  const giveUpAt = now() + patienceMs;
  const leased = () => {
    // If the service was down for too long, the next run continues.
    if (!waitForLeases || rows.some(({ key }) => isUnsent(results.get(key), now()))) return [];
    return rows.filter(({ key }) => {
      const result = results.get(key);
      return isIntent(result) && result.state === 'sending';
    });
  };
  onWait(leased().length);
  // Only these rows: the store can contain other campaigns.
  for (let some = leased(); some.length > 0 && !signal.aborted && now() + pauseMs <= giveUpAt; some = leased()) {
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    await pass(some, onOutage);
  }
  return results;
}

/** Whether no create was sent for a row, because the service was down for too long. */
function isUnsent(result: RowResult | undefined, now: number): boolean {
  if (result === undefined) return true;
  return isIntent(result) && result.state === 'ready' && result.attempts === 0 && !isWaiting(result, now);
}

function withOwnAdvice(intent: Intent): Intent {
  const { error } = intent;
  if (error?.name !== 'IntentConflictError') return intent;
  return { ...intent, error: { ...error, message: conflictText(error.message) } };
}

// Rows with a time in the past. If a row was sent in time, the command searches for its post. Other rows are never sent
// late.

function isPast({ scheduledFor }: Row['body'], now: number): boolean {
  return Date.parse(scheduledFor) <= now;
}

/**
 * Returns the problem of a row that would be sent after its time: the store has no intent of it, or keeps it.
 * @param options the options that choose the store
 */
async function lateProblem(
  publisher: Publisher,
  { line, key, body }: Row,
  now: number,
  options: string,
): Promise<Problem | undefined> {
  if (!isPast(body, now)) return undefined;
  const { state } = (await publisher.get(key)) ?? {};
  if (state === undefined)
    return {
      line,
      field: 'time',
      message:
        'is in the past, and the store does not show that the row was sent: check --store. If the row is new, change its ' +
        'time, or remove the row',
    };
  if (state !== 'ready') return undefined;
  // Another key would publish it again: a sweep can still send this one.
  return {
    line,
    field: 'time',
    message:
      'is in the past, and the row waits in the store: a sweep can still send it. Keep its key. To publish it at another ' +
      `time, run: ${intentLine('edit', key, `${options} --scheduled-for TIME`)}, and write the same time into the row. To ` +
      `never publish it, run: ${intentLine('cancel', key, options)}, and remove the row`,
  };
}
