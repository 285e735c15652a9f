import type { ApiError } from '../core/errors.js';
import type { CallInfo, ClientHooks } from '../core/hooks.js';
import { checkConfiguration, hasMethods, oneOf, optionsOf } from '../core/options.js';
import { errorCodes } from './network-error.js';

/** How much is logged, from all to least. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What `logHooks` writes to: `console`, a logger of pino or winston, or anything else with these methods. */
export interface Logger {
  /** Takes what differs from the API document. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each logger has parameters of its own
  debug(...line: any[]): unknown;
  /** Takes attempts. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
  info(...line: any[]): unknown;
  /** Takes retries. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
  warn(...line: any[]): unknown;
  /** Takes calls that failed. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
  error(...line: any[]): unknown;
}

/** Options of `logHooks`. */
export interface LogOptions {
  /**
   * What is left out: all that is less. `error`: calls that failed. `warn`: retries too. `info`, the default: each
   * attempt that was answered too. `debug`: also where a reply differs from the API document.
   */
  readonly level?: LogLevel | undefined;
}

/** What the lines tell, of all hooks. */
interface Line extends CallInfo {
  readonly attempt?: number;
  readonly attempts?: number;
  readonly status?: number | undefined;
  readonly durationMs?: number;
  readonly waitMs?: number;
  readonly error?: unknown;
  readonly code?: string | undefined;
  readonly outcome?: string | undefined;
  readonly path?: string;
  readonly received?: string;
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
const logOptions = optionsOf<LogOptions>('an option of logHooks', { level: oneOf(...levels) });
const loggerCheck = optionsOf<{ logger: Logger }>('an argument of logHooks', {
  logger: hasMethods(`an object with the methods ${levels.join(', ')}`, ...levels),
});

/**
 * Makes hooks that log what the client does: one line for each attempt that was answered, each retry and each call that
 * failed. On a console a line is a sentence where a person reads it (a terminal, a browser), and JSON elsewhere; pino and
 * winston get its fields beside it. No line holds a key, a URL, a query, a header, a body or the service's own words: what
 * an error says is in the error.
 *
 * ```ts
 * new SocialPublishing({ hooks: logHooks(console, { level: 'warn' }) });
 * ```
 *
 * @throws `ConfigurationError` the logger lacks a method, or an option is invalid
 */
export function logHooks(logger: Logger, options: LogOptions = {}): ClientHooks {
  checkConfiguration(logOptions, options);
  checkConfiguration(loggerCheck, { logger });
  const least = levels.indexOf(options.level ?? 'info');
  return hooksThatWrite(least, (level, text, line) => {
    // A console would spread an object over several lines.
    if ('table' in logger)
      logger[level](asText(level === 'warn' || level === 'error' ? 'stderr' : 'stdout', level, text, line));
    // pino takes the fields first.
    else if ('bindings' in logger) logger[level](line, text);
    else logger[level](text, line);
  });
}

let isWarned = false;

/**
 * The hooks that the environment variable SOCIAL_PUBLISHING_LOG asks for. All levels go to the error stream: these lines must
 * not mix with what a program writes to its output. A switch for seeing what happens must not be what breaks a program: a
 * value that is no level is told once, and ignored.
 */
export function hooksOfEnvironment(level: string | undefined): ClientHooks[] {
  if (level === undefined) return [];
  const least = levels.indexOf(level as LogLevel);
  if (least >= 0)
    return [
      hooksThatWrite(least, (...line) => {
        console.error(asText('stderr', ...line));
      }),
    ];
  if (!isWarned) console.warn(`SOCIAL_PUBLISHING_LOG is ignored: it must be ${levels.join(', ')}.`);
  isWarned = true;
  return [];
}

function hooksThatWrite(least: number, write: (level: LogLevel, text: string, line: Line) => void): ClientHooks {
  const at = (rank: number, say: (line: Line) => readonly unknown[]) =>
    rank < least
      ? undefined
      : (info: Line): void => {
          const line = 'error' in info ? { ...info, ...facts(info.error) } : info;
          // The route of a drift has the method in it.
          const words = [line.method, line.route.split(' ').pop(), ...say(line)];
          write(
            levels[rank] ?? 'error',
            words
              .filter((word) => word !== undefined)
              .map(String)
              .join(' '),
            line,
          );
        };
  return {
    onDrift: at(0, (line) => ['differs at', line.path, line.received]),
    onResponse: at(1, (line) => [line.status, 'in', ms(line.durationMs), '- attempt', line.attempt]),
    onRetry: at(2, (line) => ['attempt', line.attempt, 'failed:', ...reason(line), '- retry in', ms(line.waitMs)]),
    onError: at(3, (line) => ['failed:', ...reason(line), '- attempts', line.attempts]),
  };
}

/** A sentence where a person reads it, JSON elsewhere. */
function asText(stream: 'stdout' | 'stderr', level: LogLevel, message: string, line: Line): string {
  const { process } = globalThis as { process?: Partial<Record<typeof stream, { isTTY?: boolean }>> };
  if (process === undefined || process[stream]?.isTTY === true) return message;
  return JSON.stringify({ time: new Date(), level, message, ...line });
}

const ms = (time = 0) => `${String(Math.round(time))} ms`;
const reason = ({ error, status, code, outcome }: Line) => [error, status, code, outcome];

/** What an error is, without its message: that may quote the service, and an abort's reason is anybody's. */
function facts(error: unknown) {
  const { name = 'aborted', status, outcome } = Object(error) as Partial<ApiError>;
  return { error: name, status, code: errorCodes(error)[0] || undefined, outcome };
}
