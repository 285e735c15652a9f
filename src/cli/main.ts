#!/usr/bin/env node
import { Console } from 'node:console';
import { Terminated } from './errors.js';
import { run } from './run.js';
import type { World } from './output.js';

const { stdin, stdout, stderr, env } = process;

// Only results go to stdout, even if other code logs.
globalThis.console = new Console(stderr, stderr);

// The store uses the experimental node:sqlite. Users of the command cannot act on the warning.
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = (warning: string | Error, ...rest: never[]) => {
  if (String(warning).startsWith('SQLite is an experimental feature')) return;
  emitWarning(warning, ...rest);
};

/** If stdout has no reader, the time that the command has to end with its own exit code. */
const unreadMs = 1_000;

// A reader may stop reading, as `head` does. `run` reports other errors.
let isUnread = false;
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' || isUnread) return;
  isUnread = true;
  setTimeout(() => process.exit(0), unreadMs);
});
// This error cannot be reported. The exit code still shows the result.
stderr.on('error', () => undefined);

const interrupted = new AbortController();
const stop = (signal: NodeJS.Signals) => {
  // A second signal ends the process at once.
  process.off('SIGINT', stop).off('SIGTERM', stop);
  interrupted.abort(signal === 'SIGTERM' ? new Terminated() : new DOMException('Interrupted.', 'AbortError'));
};
process.on('SIGINT', stop).on('SIGTERM', stop);

const flush = () =>
  new Promise<Error | undefined>((resolve) => {
    stdout.write('', (error?: NodeJS.ErrnoException | null) => {
      resolve(isUnread || error?.code === 'EPIPE' ? undefined : (error ?? undefined));
    });
  });
const world: World = { stdin, stdout, stderr, env, signal: interrupted.signal, now: Date.now, flush };

const exitCode = await run(process.argv.slice(2), world);
// Open connections must not keep the process alive: first flush the output.
stdout.write('', () => stderr.write('', () => process.exit(exitCode)));
