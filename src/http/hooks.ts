import { notNeeded } from '../core/flow/abort.js';
import { setRequestId, type ApiError } from '../core/errors.js';
import { type CallInfo, type ClientHooks, type DriftInfo, type RetryInfo, callSafely } from '../core/call/hooks.js';
import { checkConfiguration, hasMethods, oneOf, optionsOf } from '../core/call/options.js';
import { currentProcess } from '../core/runtime.js';
import type { ClientContext } from './context.js';
import { errorCodes } from './failures.js';
import { readAddedHeaders, type PlainHeaders } from './headers.js';

/** A free-form field can have any number of names, so any number of places can differ. */
const mostReportedDrifts = 1_000;

/** Runs the hooks of one call. */
export class CallHooks {
  readonly #client: ClientContext;
  readonly #at: { readonly method: string; readonly route: string };
  readonly #startedAt: number;
  /** `undefined`: the call has not started, or nothing needs its ID. */
  #call: CallInfo | undefined;

  constructor(client: ClientContext, at: { readonly method: string; readonly route: string }) {
    this.#client = client;
    this.#at = at;
    this.#startedAt = client.runtime.monotonic();
  }

  /**
   * Starts the call, unless it has started.
   * @param headers the call's own headers, if they could be read: they may contain the caller's request ID
   */
  start(headers?: PlainHeaders): void {
    const { baseUrl, hooks, requestIdHeader } = this.#client.settings;
    if (this.#call !== undefined || (hooks.length === 0 && requestIdHeader === undefined)) return;
    const callId = this.#client.runtime.newId();
    const [, , host = ''] = baseUrl.split('/');
    const requestId = requestIdHeader === undefined ? {} : { requestId: headers?.[requestIdHeader] ?? callId };
    this.#call = { callId, ...this.#at, host, ...requestId };
    this.#run('onStart', {});
  }

  get requestId(): string | undefined {
    return this.#call?.requestId;
  }

  has(name: keyof ClientHooks): boolean {
    return this.#client.settings.hooks.some((hooks) => hooks[name] !== undefined);
  }

  request(attempt: number): PlainHeaders {
    const added: Record<string, string> = {};
    this.#run('onRequest', { attempt }, (headers) => Object.assign(added, readAddedHeaders(headers)));
    const { requestIdHeader } = this.#client.settings;
    return requestIdHeader === undefined ? added : { ...added, [requestIdHeader]: String(this.requestId) };
  }

  response(attempt: number, status: number, durationMs: number): void {
    this.#run('onResponse', { attempt, status, durationMs });
  }

  retry(info: Pick<RetryInfo, 'attempt' | 'waitMs' | 'error'>): void {
    setRequestId(info.error, this.requestId);
    this.#run('onRetry', info);
  }

  /** Reports each drift once per route and path. */
  drifts(drifts: readonly Pick<DriftInfo, 'path' | 'expected' | 'received'>[]): void {
    const { reportedDrifts } = this.#client.shared;
    const route = `${this.#at.method} ${this.#at.route}`;
    for (const drift of drifts) {
      const name = `${route} ${drift.path}`;
      if (reportedDrifts.has(name) || reportedDrifts.size >= mostReportedDrifts) continue;
      reportedDrifts.add(name);
      this.#run('onDrift', { route, ...drift });
    }
  }

  /** Runs at the end of the call. A call that its caller no longer needs has not failed. */
  end(
    { attempts, credits }: { readonly attempts: number; readonly credits: number },
    failed?: { readonly error: unknown },
  ): void {
    const durationMs = this.#client.runtime.monotonic() - this.#startedAt;
    const reported = failed?.error === notNeeded ? undefined : failed;
    if (reported !== undefined) {
      setRequestId(reported.error, this.requestId);
      this.#run('onError', { attempts, ...reported });
    }
    this.#run('onEnd', { attempts, durationMs, credits, ...reported });
  }

  /** Runs a hook of each object. Its exceptions and rejections are ignored: an executed call must not reject. */
  #run(name: keyof ClientHooks, info: object, take?: (result: unknown) => void): void {
    for (const hooks of this.#client.settings.hooks) {
      void callSafely(() => {
        // Each hook gets a copy, so a hook cannot change the payload of the next one.
        const result = (hooks[name] as ((info: object) => unknown) | undefined)?.call(hooks, {
          ...this.#call,
          ...info,
        });
        take?.(result);
        return result;
      });
    }
  }
}

/** How much is logged, from all to least. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The destination of `logHooks`: `console`, a logger of pino or winston, or any object with these methods. */
export interface Logger {
  /** Takes what differs from the API document. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the parameters differ from logger to logger
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
   * The lowest level to log. `error`: failed calls. `warn`: also retries. `info`, the default: also each answered
   * attempt. `debug`: also replies that differ from the API document.
   */
  readonly level?: LogLevel | undefined;
}

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
 * Creates hooks that log the client's work: one line for each answered attempt, each retry and each failed call. On a
 * console, a line is a sentence in a terminal or a browser, and JSON elsewhere; pino and winston also get its fields.
 * No line contains a key, a URL, a query, a header, a body or text from the service: only the error contains its
 * message.
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
      return logger[level](asText(level === 'warn' || level === 'error' ? 'stderr' : 'stdout', level, text, line));
    // pino takes the fields first.
    return 'bindings' in logger ? logger[level](line, text) : logger[level](text, line);
  });
}

let isWarned = false;

/**
 * Returns the hooks for the environment variable SOCIAL_PUBLISHING_LOG. All levels go to stderr, because these lines
 * must not mix with a program's output. A debugging switch must not break a program: an invalid level is reported once,
 * and ignored.
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

/** A failure of `write` is ignored here too, because your own hooks can call these hooks. */
function hooksThatWrite(least: number, write: (level: LogLevel, text: string, line: Line) => unknown): ClientHooks {
  const at = (rank: number, say: (line: Line) => readonly unknown[]) =>
    rank < least
      ? undefined
      : (info: Line): void => {
          const line = 'error' in info ? { ...info, ...facts(info.error) } : info;
          // The route of a drift contains the method.
          const words = [line.method, line.route.split(' ').pop(), ...say(line)];
          const text = words
            .filter((word) => word !== undefined)
            .map(String)
            .join(' ');
          void callSafely(() => write(levels[rank] ?? 'error', text, line));
        };
  return {
    onDrift: at(0, (line) => ['differs at', line.path, line.received]),
    onResponse: at(1, (line) => [line.status, 'in', ms(line.durationMs), '- attempt', line.attempt]),
    onRetry: at(2, (line) => ['attempt', line.attempt, 'failed:', ...reason(line), '- retry in', ms(line.waitMs)]),
    onError: at(3, (line) => ['failed:', ...reason(line), '- attempts', line.attempts]),
  };
}

/** Returns a sentence for a terminal or a browser, JSON elsewhere. */
function asText(stream: 'stdout' | 'stderr', level: LogLevel, message: string, line: Line): string {
  const process = currentProcess();
  if (process === undefined || process[stream]?.isTTY === true) return message;
  return JSON.stringify({ time: new Date(), level, message, ...line });
}

const ms = (time = 0) => `${String(Math.round(time))} ms`;
const reason = ({ error, status, code, outcome }: Line) => [error, status, code, outcome];

/**
 * Returns an error's facts without its message: the message may quote the service, and an abort's reason can be any
 * value.
 */
function facts(error: unknown) {
  const { name = 'aborted', status, outcome } = Object(error) as Partial<ApiError>;
  return { error: name, status, code: errorCodes(error)[0] || undefined, outcome };
}
