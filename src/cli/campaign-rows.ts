/** The rows of a campaign: reads the table, and checks every row. */
import { parse, type CsvError } from 'csv-parse/sync';
import {
  InvalidRequestError,
  isKnownPlatform,
  zonedTime,
  type PostTargetInput,
  type SchedulePostBody,
  type ZonedTimeOptions,
} from '../index.js';
import { readTarget } from './fields.js';

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

interface Rules extends ZonedTimeOptions {
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

/** Characters that can separate columns, as an argument of `--delimiter` and in a message. */
const otherDelimiters = [
  [';', "';'", "';'"],
  ['\t', 'tab', 'a tab'],
  [',', "','", "','"],
] as const;

/** Reads a campaign, and reports every problem of every row. */
export function readCampaign(csv: string, rules: Rules): { rows: Row[]; problems: Problem[] } {
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
    const { content = '' } = record;
    if (content === '') fail('content', 'is empty');
    const body = {
      content,
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

/** Returns what is wrong with the names of the columns. */
function columnProblems(header: readonly string[], delimiter: string): Problem[] {
  const problem = (field: string, message: string): Problem => ({ line: 1, field, message });
  const known: readonly string[] = columns;
  const line = header.join(delimiter);
  for (const [character, name, what] of otherDelimiters) {
    const names = line.split(character).filter((cell) => known.includes(cell.trim()));
    if (character !== delimiter && names.length > 1)
      return [problem('delimiter', `the columns are separated by ${what}: pass --delimiter ${name}`)];
  }
  const allowed = `the columns are ${columns.join(', ')}`;
  return [
    ...columns
      .filter((name) => header.indexOf(name) !== header.lastIndexOf(name))
      .map((name) => problem(name, 'occurs twice: remove one of the two columns')),
    ...columns
      .filter((name) => name !== 'zone' && !header.includes(name))
      .map((name) => problem(name, `is missing; ${allowed}`)),
    ...header
      .filter((name) => !known.includes(name))
      .map((name) => problem(name, `is not a column of a campaign; ${allowed}`)),
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
