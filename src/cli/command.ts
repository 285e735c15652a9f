import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { momentOf, timeMessage } from '../model/instant.js';
import { UsageError, exitCodes, type ExitCode } from './errors.js';
import { Output, type World } from './output.js';

/** One run of the command. */
export class Session {
  readonly world: World;
  /** The arguments as passed. */
  readonly argv: readonly string[];
  readonly output: Output;
  exitCode: ExitCode = exitCodes.success;
  /** `false`: a request may have been sent, and to repeat it would repeat its effect. */
  isRepeatable = true;
  /** The options, by their names in camel case. Commander types them as any: every reader of a value checks it. */
  #values: Readonly<Record<string, unknown>> = {};

  constructor(world: World, argv: readonly string[] = []) {
    this.world = world;
    this.argv = argv;
    this.output = new Output(world);
  }

  /** Takes the options of the command, and chooses the format of results from them. */
  readOptions(values: Readonly<Record<string, unknown>>): void {
    this.#values = values;
    const [json, ndjson] = [this.isSet('json'), this.isSet('ndjson')];
    if (json && ndjson) throw new UsageError('--json cannot be combined with --ndjson.');
    if (json) this.output.format = 'json';
    if (ndjson) this.output.format = 'ndjson';
    this.output.errorsAsJson = json || ndjson;
  }

  /** The value of an option. `undefined`: it was not passed. */
  value(name: string): unknown {
    return this.#values[name];
  }

  /** Whether an option without a value was passed. */
  isSet(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** The time of an option, in milliseconds since 1970. */
  time(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const time = momentOf(text);
    if (time !== undefined) return time;
    const expected = 'must be a time with its offset, for example 2027-01-01T00:00:00Z';
    throw new UsageError(`--${kebab(name)} ${timeMessage(expected, text)}.`);
  }

  /** The duration of `--send-ahead`, in milliseconds. */
  sendAheadMs(): number | undefined {
    const text = this.text('sendAhead');
    if (text === undefined) return undefined;
    const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
    const unitMs = unitsMs[unit];
    if (unitMs !== undefined) return Number(count) * unitMs;
    throw new UsageError(`--send-ahead must be a number with a unit (s, m, h or d), for example 10m, not '${text}'.`);
  }

  wholeNumber(
    name: string,
    { least = 1, most = Infinity }: { least?: number; most?: number } = {},
  ): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const number = Number(text);
    if (Number.isInteger(number) && number >= least && number <= most && text.trim() !== '') return number;
    const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
    throw new UsageError(`--${kebab(name)} must be a whole number ${range}, not '${text}'.`);
  }
}

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The work of a command. `undefined`: it succeeded. */
export type Action = (session: Session, args: readonly string[]) => Promise<ExitCode | undefined>;

/**
 * Adds the shared options and the work to a command: the session gets the options first, and keeps the exit code.
 * @param groups the shared options, in the order of the help
 */
export function onRun(
  command: Command,
  session: Session,
  action: Action,
  ...groups: readonly (keyof typeof sharedOptions)[]
): Command {
  for (const group of groups)
    for (const [flags, description] of sharedOptions[group]) {
      const option = new Option(flags, description);
      command.addOption(commonOptions.has(group) ? option.helpGroup('Common options:') : option);
    }
  return command.action(async () => {
    checkValues(command, session.argv);
    session.readOptions(command.opts());
    session.exitCode = (await action(session, command.args)) ?? exitCodes.success;
  });
}

/**
 * The library takes any next word as a value. With an empty variable in `--name $NAME --dry-run`, it would publish.
 * @throws UsageError a name of an option follows an option that takes a value
 */
function checkValues({ options }: Command, argv: readonly string[]): void {
  const optionOf = (word: string) => options.find(({ long, short }) => word === long || word === short);
  for (const [index, word] of argv.entries()) {
    const [next = ''] = argv[index + 1]?.split('=') ?? [];
    const isName = optionOf(next) !== undefined || next === '-h' || next === '--help';
    if (optionOf(word)?.required === true && isName) throw new UsageError(`${word} has no value: ${next} follows it.`);
  }
}

/** `updateScheduled` as `update-scheduled`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Creates a command. Its help ends with an example. */
export function newCommand(name: string, description: string, example: string): Command {
  return new Command(name).description(description).addHelpText('after', `\nExample:\n${example.replace(/^/gm, '  ')}`);
}

/** The options that several commands share. */
const sharedOptions = {
  sendAhead: [['--send-ahead <duration>', 'keep it until 10m, 2h, … before its time; intents sweep sends it']],
  dryRun: [['--dry-run', 'print the request, and send nothing']],
  /** A dry run that also checks the posts. */
  checkedDryRun: [
    ['--dry-run', 'print the request, and what preflight finds; change nothing'],
    ['--no-preflight', 'with --dry-run: send no request at all'],
  ],
  confirmation: [['--yes', 'do not ask for confirmation']],
  /** Of each command that prints a result. */
  format: [
    ['--json', 'print JSON, also on a terminal'],
    ['--ndjson', 'print JSON, one line per item'],
  ],
  /** Of each command that calls the service. */
  service: [
    ['--base-url <url>', 'the service; else SOCIAL_PUBLISHING_BASE_URL'],
    ['--access-key-file <file>', 'file with the key; else SOCIAL_PUBLISHING_ACCESS_KEY'],
  ],
  /** Of each command that keeps something. */
  store: [['--store <store>', 'a SQLite file or a URL; else SOCIAL_PUBLISHING_STORE']],
} as const;

/** The help shows these options last. */
const commonOptions = new Set<string>(['format', 'service', 'store']);

/** Collects a repeated option. */
export function collect(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** The options of a command that choose its store. Neither can contain a password: such an option is refused. */
export function storeOptions(session: Session): string {
  const store = session.text('store');
  // The user may run the next command in another folder.
  const place = store === undefined || store.includes('://') ? store : resolve(store);
  const options = optionsOf({ '--store': place, '--base-url': session.text('baseUrl') });
  return options === '' ? '' : ` ${options}`;
}

/** Options as a shell reads them, without those that have no value. */
export function optionsOf(options: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(options)
    .flatMap(([option, value]) => {
      if (value === undefined) return [];
      return [`${option}${value.startsWith('-') ? '=' : ' '}${quoted(value)}`];
    })
    .join(' ');
}

/**
 * A command for the intent of a key, as a shell reads it. The command would read a key that begins with `-` as an option.
 * @param options further options, with a space before each
 */
export function intentLine(verb: 'cancel' | 'edit' | 'resolve' | 'show', key: string, options: string): string {
  const words = key.startsWith('-') ? `${options} -- ${quoted(key)}` : ` ${quoted(key)}${options}`;
  return `social-publishing intents ${verb}${words}`;
}

/** A word as a shell reads it. */
export function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
