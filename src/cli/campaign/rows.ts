/** Reads a campaign from a table, and checks every row. */
import { parse } from 'csv-parse/sync';
import {
  InvalidRequestError,
  isKnownPlatform,
  zonedTime,
  type PostTargetInput,
  type SchedulePostBody,
  type ZonedTimeOptions,
} from '../../index.js';

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
}

const columns = ['key', 'content', 'time', 'zone', 'targets'] as const;
type Cells = Partial<Record<(typeof columns)[number], string>>;

/** Reads a campaign, and reports every problem of every row. */
export function readCampaign(csv: string, rules: Rules): Campaign {
  let header: string[] = [];
  let records: { record: Cells; raw: string; info: { lines: number } }[];
  try {
    // Normalizes line ends, because the parser counts a CRLF inside quotes twice.
    records = parse(csv.replace(/\r\n?/g, '\n'), {
      bom: true,
      columns: (names: string[]) => (header = names.map((name) => name.trim().toLowerCase())),
      info: true,
      raw: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    // The parser's errors have the line.
    const { message, lines = 1 } = error as Error & { lines?: number };
    return { rows: [], problems: [{ line: lines, field: 'row', message }] };
  }
  const problems: Problem[] = columnProblems(header);
  if (problems.length > 0) return { rows: [], problems };
  const rows: Row[] = [];
  const lineOfKey = new Map<string, number>();
  for (const { record, raw, info } of records) {
    // A quoted text can have several lines: the row's line is its first one. Blank lines before it belong to `raw`.
    const line = info.lines - (raw.trim().match(/\n/g)?.length ?? 0);
    const fail = (field: string, message: string) => problems.push({ line, field, message });
    const before = problems.length;
    const body = {
      content: readContent(record, fail),
      scheduledFor: readTime(record, rules, fail),
      platforms: readTargets(record, rules, fail),
    };
    const key = readKey(record, rules, fail);
    const sameKey = key.normalize('NFC');
    const other = lineOfKey.get(sameKey);
    if (other !== undefined) fail('key', `is the same as in line ${other}`);
    else if (key !== '') lineOfKey.set(sameKey, line);
    if (problems.length === before) rows.push({ line, key, body });
  }
  return { rows, problems };
}

function columnProblems(header: readonly string[]): Problem[] {
  const known: readonly string[] = columns;
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
  const [, clock] = /^(.*?)(?:Z|[+-]\d{2}:\d{2})$/.exec(local) ?? [];
  if (zone !== '' && clock !== undefined) {
    fail('time', 'has an offset, and the row has a zone too: leave the zone empty, or remove the offset');
    return '';
  }
  try {
    if (zone !== '') return zonedTime(local, zone, { gap: rules.gap, overlap: rules.overlap });
    if (clock !== undefined) {
      // Date.parse would read 30 February as 2 March.
      zonedTime(clock, 'UTC');
      const offset = local.slice(clock.length);
      // With an offset, the service's date-times have seconds.
      if (!Number.isNaN(Date.parse(local))) return `${clock}${/T\d{2}:\d{2}$/.test(clock) ? ':00' : ''}${offset}`;
      fail('time', `has an offset that does not exist: '${offset}'`);
    } else fail('zone', `is empty: name the time zone of '${time}', for example Europe/Berlin`);
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    for (const { path, message } of error.issues) {
      const [argument] = path;
      // The message starts with the argument of zonedTime, and names its options. The report starts with the column.
      const said = message.replace(`${String(argument)} `, '').replace(/\b(gap|overlap): '(\w+)'/g, '--$1 $2');
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
    const [platform = '', accountId = ''] = target.split(':');
    const actual = platforms === undefined ? platform : platforms.get(accountId);
    if (!isKnownPlatform(platform) || accountId === '')
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
