import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestName } from '../../../core/call/options.js';

export type Flags = Exclude<ReturnType<typeof readFlags>, 'help' | 'version'>;

const options = {
  port: { type: 'string', default: '8787' },
  host: { type: 'string', default: '127.0.0.1' },
  cors: { type: 'string', multiple: true },
  seed: { type: 'string' },
  state: { type: 'string' },
  scenario: { type: 'string' },
  'access-key': { type: 'string' },
  'random-seed': { type: 'string', default: '1' },
  console: { type: 'boolean', default: true },
  open: { type: 'boolean', default: false },
  log: { type: 'boolean', default: true },
  quiet: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const satisfies ParseArgsConfig['options'];

/**
 * Reads the arguments of the command.
 * @throws FlagError
 */
export function readFlags(args: string[]) {
  const values = parse(args);
  if (values.help) return 'help';
  if (values.version) return 'version';
  for (const name of ['seed', 'state', 'scenario', 'host'] as const)
    if (values[name]?.trim() === '') throw new FlagError(`--${name} is empty.`);
  if (values.open && !values.console)
    throw new FlagError('--open opens the console, so it cannot be combined with --no-console.');
  return {
    port: wholeNumber('--port', values.port, 65_535),
    host: values.host,
    cors: values.cors ?? [],
    // Not passed: the emulator starts empty.
    seed: values.seed,
    stateFile: values.state,
    scenarioFile: values.scenario,
    accessKey: accessKeyOf(values['access-key'], process.env[keyVariable]),
    randomSeed: wholeNumber('--random-seed', values['random-seed'], 2 ** 31 - 1),
    console: values.console,
    open: values.open,
    log: values.log && !values.quiet,
    quiet: values.quiet,
  };
}

/** The client reads this variable too, so both can share one environment. */
const keyVariable = 'SOCIAL_PUBLISHING_ACCESS_KEY';

function accessKeyOf(flag: string | undefined, variable: string | undefined): string | undefined {
  const key = flag ?? (variable === '' ? undefined : variable);
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new FlagError(`${flag === undefined ? keyVariable : '--access-key'} must be printable ASCII without spaces.`);
  return key;
}

function parse(args: string[]) {
  checkNames(args);
  try {
    return parseArgs({ args, options, allowNegative: true }).values;
  } catch (error) {
    // Node's messages name the flag. Their second sentence explains positional arguments, which the command does not have.
    throw new FlagError(error instanceof Error ? (error.message.split(/\. |\n/)[0] ?? '') : String(error));
  }
}

function checkNames(args: string[]): void {
  const { tokens } = parseArgs({
    args,
    options,
    strict: false,
    allowPositionals: true,
    allowNegative: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name) || token.rawName === '-h') continue;
    const near = nearestName(token.name.replace(/^no-/, ''), Object.keys(options));
    throw new FlagError(`Unknown option '${token.rawName}'${near === undefined ? '' : `; did you mean '--${near}'?`}`);
  }
}

function wholeNumber(flag: string, text: string, max: number): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > max)
    throw new FlagError(`${flag} must be a whole number from 0 to ${String(max)}.`);
  return Number(text);
}

export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/** The text of `--help`. It fits a screen of 80 columns and 24 lines. */
export const help = `Runs the social publishing service in memory, in real time.

Usage: social-publishing emulator [options]
       social-publishing emulator exec [options] -- COMMAND
  --port <number>        Port. Default 8787; 0: any free port.
  --host <address>       Address to listen on. Default 127.0.0.1: this computer.
  --cors <origin>        Also answers pages of this origin. You can repeat it.
  --seed <what>          Data at the start: empty (default), demo, or a JSON
                         file { "integrations": [...], "posts": [...] }.
  --state <file>         Keeps all data in this file. Otherwise it is lost.
  --scenario <file>      Changes at later times: a JSON file
                         [{ "at": { "hours": 2 }, "outcomes": {...} }]; also
                         "faults" and "seed".
  --access-key <key>     The access key of the service. Default test-key.
  --random-seed <number> The same number gives the same data. Default 1.
  --no-console           Serves no console at / and no API under /_emulator/.
  --open                 Opens the console in the browser.
  --no-log               Prints no line for each request and delivery.
  --quiet                Prints only the address and the key.
  --version, --help      Prints the version, or this text.

Example:
  social-publishing emulator --seed demo --open
`;
