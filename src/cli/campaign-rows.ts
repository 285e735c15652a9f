/** The rows of a campaign: reads and checks them, sends all, then waits for rows that another process is sending. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, type CsvError } from 'csv-parse/sync';
import {
  InvalidRequestError,
  isKnownPlatform,
  zonedTime,
  type PostTargetInput,
  type SchedulePostBody,
  type ZonedTimeOptions,
} from '../index.js';
import type { Intent, PublishProgress, Publisher } from '../publisher/index.js';
import { readTarget } from './fields.js';
import { intentLine } from './command.js';
import { isWaiting } from '../publisher/search-again.js';
import type { OpenPublisher } from './publisher.js';
import { conflictText } from './report-error.js';

export interface Row {
  readonly line: number;
  readonly key: string;
  readonly body: SchedulePostBody & { readonly scheduledFor: string };
}

export interface Problem {
  readonly line: number;
  readonly field: string;
  readonly message: string;
}

export interface Campaign {
  readonly rows: readonly Row[];
  readonly problems: readonly Problem[];
}

export interface Rules extends ZonedTimeOptions {
  /** The start of every key in the store, so that two campaigns can use the same keys. */
  readonly name: string;
  /** The platform of each connected account, by its integration's ID. `undefined`: the accounts were not read. */
  readonly platforms: ReadonlyMap<string, string> | undefined;
  /** The character between columns. Default: the character of a first line `sep=`, or a comma. */
  readonly delimiter?: string | undefined;
}

/** A spreadsheet can quote the line, and fill its row with separators. */
const separatorLine = /^\uFEFF?("?)sep=([^\n"])\1\2*\n/i;

/** A column behind the last name. A spreadsheet writes such columns if their cells were used before. */
const unnamed = (index: number) => `column ${String(index + 1)}`;

const columns = ['key', 'content', 'time', 'zone', 'targets'] as const;
type Cells = Partial<Record<(typeof columns)[number], string>>;

/** Reads a campaign, and reports every problem of every row. */
export function readCampaign(csv: string, rules: Rules): Campaign {
  let header: string[] = [];
  let records: { record: Cells; raw: string; info: { lines: number } }[];
  // Normalizes line ends, because the parser counts a CRLF inside quotes twice.
  const text = csv.replace(/\r\n?/g, '\n');
  const { delimiter = separatorLine.exec(text)?.[2] ?? ',' } = rules;
  try {
    // An empty line in place of `sep=` keeps the numbers of the lines.
    records = parse(text.replace(separatorLine, '\n'), {
      bom: true,
      delimiter,
      columns: (names: string[]) => {
        const read = names.map((name) => name.trim().toLowerCase());
        header = read.slice(0, read.findLastIndex((name) => name !== '') + 1);
        return read.map((name, index) => (index < header.length ? name : unnamed(index)));
      },
      info: true,
      raw: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    return { rows: [], problems: [parserProblem(error)] };
  }
  const problems: Problem[] = columnProblems(header, delimiter);
  if (problems.length > 0) return { rows: [], problems };
  // A spreadsheet writes rows that were cleared.
  while (Object.values(records.at(-1)?.record ?? { left: 'none' }).every((cell) => cell === '')) records.pop();
  const rows: Row[] = [];
  const lineOfKey = new Map<string, number>();
  for (const { record, raw, info } of records) {
    const line = firstLine(raw, info.lines);
    const fail = (field: string, message: string) => problems.push({ line, field, message });
    const before = problems.length;
    const body = {
      content: readContent(record, fail),
      scheduledFor: readTime(record, rules, fail),
      platforms: readTargets(record, rules, fail),
    };
    for (const [name, cell] of Object.entries(record))
      if (!columns.some((known) => known === name) && cell !== '')
        fail(name, 'has text, but no name: name the column, or clear it');
    const key = readKey(record, rules, fail);
    const sameKey = key.normalize('NFC');
    const other = lineOfKey.get(sameKey);
    if (other !== undefined) fail('key', `is the same as in line ${other}`);
    else if (key !== '') lineOfKey.set(sameKey, line);
    if (problems.length === before) rows.push({ line, key, body });
  }
  return { rows, problems };
}

/** Returns the line on which a row begins: a quoted text can have several. Blank lines before it belong to `raw`. */
function firstLine(raw: string, lastLine: number): number {
  // Its last character ends the row, or the file.
  return lastLine - (raw.trimStart().slice(0, -1).match(/\n/g)?.length ?? 0);
}

function parserProblem(error: unknown): Problem {
  // The parser's errors have these fields.
  const { message, code, lines = 1, raw = '' } = error as CsvError & { lines?: number; raw?: string };
  if (code !== 'CSV_QUOTE_NOT_CLOSED') return { line: lines, field: 'row', message };
  // The quote ends on the last line of the file.
  return { line: firstLine(raw, lines), field: 'row', message: 'has a quote that is not closed' };
}

function columnProblems(header: readonly string[], delimiter: string): Problem[] {
  const known: readonly string[] = columns;
  const line = header.join(delimiter);
  const other = Object.entries({ ';': "';'", '\t': 'tab', ',': "','" }).find(
    ([character]) =>
      character !== delimiter && line.split(character).filter((name) => known.includes(name.trim())).length > 1,
  );
  if (other !== undefined) {
    const [character, name] = other;
    const what = character === '\t' ? 'a tab' : `'${character}'`;
    return [{ line: 1, field: 'delimiter', message: `the columns are separated by ${what}: pass --delimiter ${name}` }];
  }
  const missing = columns.filter((name) => name !== 'zone' && !header.includes(name));
  return [
    ...columns
      .filter((name) => header.indexOf(name) !== header.lastIndexOf(name))
      .map((field) => ({ line: 1, field, message: 'occurs twice: remove one of the two columns' })),
    ...missing.map((field) => ({ line: 1, field, message: `is missing; the columns are ${columns.join(', ')}` })),
    ...header
      .filter((name) => !known.includes(name))
      .map((field) => ({
        line: 1,
        field,
        message: `is not a column of a campaign; the columns are ${columns.join(', ')}`,
      })),
  ];
}

type ReportProblem = (field: string, message: string) => void;

/** The longest key that a publisher accepts. */
const maxKeyLength = 512;

function readKey({ key: cell = '' }: Cells, { name }: Rules, fail: ReportProblem): string {
  const key = `${name}/${cell}`;
  if (cell === '') {
    fail('key', 'is empty: the key identifies the row when the command runs again');
    return '';
  }
  if (cell.includes('\0')) fail('key', 'must not contain the character NUL (U+0000)');
  if (key.length > maxKeyLength) {
    fail(
      'key',
      `is too long: with the campaign's name and a slash it has ${key.length} characters; at most ${maxKeyLength} are allowed`,
    );
  }
  return key;
}

function readContent({ content = '' }: Cells, fail: ReportProblem): string {
  if (content === '') fail('content', 'is empty');
  return content;
}

function readTime({ time = '', zone = '' }: Cells, rules: Rules, fail: ReportProblem): string {
  const local = time.replace(' ', 'T');
  // A fraction belongs to the offset here: zonedTime reads none.
  const [, clock, offset = ''] = /^(.*?)((?:(?<=:\d{2}:\d{2})\.\d+)?(?:Z|[+-]\d{2}:\d{2}))$/.exec(local) ?? [];
  if (zone !== '' && clock !== undefined) {
    fail('time', 'has an offset, and the row has a zone too: leave the zone empty, or remove the offset');
    return '';
  }
  try {
    if (zone !== '') return zonedTime(local, zone, { gap: rules.gap, overlap: rules.overlap });
    if (clock !== undefined) {
      // Date.parse would read 30 February as 2 March.
      zonedTime(clock, 'UTC');
      // With an offset, the service's date-times have seconds.
      if (!Number.isNaN(Date.parse(local))) return `${clock}${/T\d{2}:\d{2}$/.test(clock) ? ':00' : ''}${offset}`;
      fail('time', `has an offset that does not exist: '${offset}'`);
    } else fail('zone', `is empty: name the time zone of '${time}', for example Europe/Berlin`);
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    for (const { path, message } of error.issues) {
      const [argument] = path;
      // The message starts with the argument of zonedTime, and names its options. The report starts with the column.
      const said = message
        .replace(`${String(argument)} `, '')
        .replace(`'${clock ?? local}'`, `'${time}'`)
        .replace(/\b(gap|overlap): '(\w+)'/g, '--$1 $2');
      fail(argument === 'zone' ? 'zone' : 'time', said);
    }
  }
  return '';
}

/** `instagram:integration_1 bluesky:integration_2` */
function readTargets({ targets = '' }: Cells, { platforms }: Rules, fail: ReportProblem): PostTargetInput[] {
  const read: PostTargetInput[] = [];
  const names = targets.split(/[\s;]+/).filter(Boolean);
  for (const target of names) {
    const { platform = '', accountId = '' } = readTarget(target) ?? {};
    const actual = platforms === undefined ? platform : platforms.get(accountId);
    if (!isKnownPlatform(platform))
      fail('targets', `'${target}' must be a platform and an account, for example bluesky:ID`);
    else if (actual === undefined) fail('targets', `there is no connected account '${accountId}'`);
    else if (actual !== platform) fail('targets', `the account '${accountId}' is on ${actual}, not on ${platform}`);
    else if (read.some((other) => other.accountId === accountId))
      fail('targets', `'${target}' occurs twice: list it once`);
    else read.push({ platform, accountId });
  }
  if (names.length === 0) fail('targets', 'is empty');
  return read;
}

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
export type RowResult = Intent | Problem;

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
      results.set(keyOfRow.get(intent.key.normalize('NFC')) ?? intent.key, withFlags(intent));
  };
  await pass(rows, onProgress);
  const giveUpAt = now() + patienceMs;
  const leased = () => {
    // If the service was down for too long, the next run continues.
    if (!waitForLeases || rows.some(({ key }) => isUnsent(results.get(key), now()))) return [];
    return rows.filter(({ key }) => isLeased(results.get(key)));
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

/** Whether another process is sending a row. */
function isLeased(result: RowResult | undefined): boolean {
  return isIntent(result) && result.state === 'sending';
}

function withFlags(intent: Intent): Intent {
  const { error } = intent;
  if (error?.name !== 'IntentConflictError') return intent;
  return { ...intent, error: { ...error, message: conflictText(error.message) } };
}

// Rows with a time in the past. If a row was sent in time, the command searches for its post. Other rows are never sent
// late.

export function isPast({ scheduledFor }: Row['body'], now: number): boolean {
  return Date.parse(scheduledFor) <= now;
}

/**
 * Returns the problem of a row that would be sent after its time: the store has no intent of it, or keeps it.
 * @param options the options that choose the store
 */
export async function lateProblem(
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
