import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestName } from '../../../core/names.js';
import { UsageError } from './usage-error.js';

/** How the command was called. */
export interface Flags {
  readonly port: number;
  readonly host: string;
  /** `undefined` where nothing was said: empty. */
  readonly seed: string | undefined;
  readonly stateFile: string | undefined;
  readonly scenarioFile: string | undefined;
  readonly accessKey: string;
  readonly randomSeed: number;
  readonly console: boolean;
  readonly open: boolean;
  readonly log: boolean;
  readonly quiet: boolean;
}

const options = {
  port: { type: 'string', default: '8787' },
  host: { type: 'string', default: '127.0.0.1' },
  seed: { type: 'string' },
  state: { type: 'string' },
  scenario: { type: 'string' },
  'access-key': { type: 'string', default: 'test-key' },
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
 * @throws UsageError
 */
export function readFlags(args: string[]): Flags | 'help' | 'version' {
  const values = parse(args);
  if (values.help) return 'help';
  if (values.version) return 'version';
  const accessKey = values['access-key'];
  if (!/^[\x21-\x7e]+$/.test(accessKey)) throw new UsageError('--access-key must be printable ASCII without spaces.');
  for (const name of ['seed', 'state', 'scenario', 'host'] as const)
    if (values[name]?.trim() === '') throw new UsageError(`--${name} is empty.`);
  if (values.open && !values.console) throw new UsageError('--open opens the page, which --no-console leaves out.');
  return {
    port: wholeNumber('--port', values.port, 65_535),
    host: values.host,
    seed: values.seed,
    stateFile: values.state,
    scenarioFile: values.scenario,
    accessKey,
    randomSeed: wholeNumber('--random-seed', values['random-seed'], 2 ** 31 - 1),
    console: values.console,
    open: values.open,
    log: values.log && !values.quiet,
    quiet: values.quiet,
  };
}

function parse(args: string[]) {
  checkNames(args);
  try {
    return parseArgs({ args, options, allowNegative: true }).values;
  } catch (error) {
    // Node's own texts name the flag; what follows the first sentence explains how to write positional arguments.
    throw new UsageError(error instanceof Error ? (error.message.split(/\. |\n/)[0] ?? '') : String(error));
  }
}

/** Refuses a flag that there is not, and names the one that was probably meant. */
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
    throw new UsageError(`Unknown option '${token.rawName}'${near === undefined ? '' : `; did you mean '--${near}'?`}`);
  }
}

function wholeNumber(flag: string, text: string, max: number): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > max)
    throw new UsageError(`${flag} must be a whole number from 0 to ${String(max)}.`);
  return Number(text);
}
