import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach } from 'vitest';
import { bundleProgram } from '../../support/bundle-program.js';

export interface Command {
  readonly child: ChildProcess;
  output: string;
  errors: string;
}

let running: Command | undefined;
afterEach(() => {
  running?.child.kill('SIGKILL');
});

/** Starts the command as a user calls it, from its source. The last argument may set variables of its environment. */
export function start(...args: (string | NodeJS.ProcessEnv)[]): Command {
  const flags = args.filter((arg) => typeof arg === 'string');
  const variables = args.filter((arg) => typeof arg !== 'string').flatMap((more) => Object.entries(more));
  const env = { ...process.env, ...Object.fromEntries(variables) };
  const child = spawn(process.execPath, [bundleProgram('src/cli/main.ts'), 'emulator', ...flags], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const command: Command = { child, output: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    command.output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    command.errors += text;
  });
  running = command;
  return command;
}

export async function end({ child }: Command): Promise<unknown> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return child.exitCode ?? child.signalCode;
}

export async function shows(command: Command, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const match = pattern.exec(command.output);
    if (match !== null) return match;
    if (command.child.exitCode !== null) throw new Error(`It ended without that: ${command.output}${command.errors}`);
    await once(command.child.stdout ?? command.child, 'data');
  }
}

export async function address(command: Command): Promise<string> {
  const [, url = ''] = await shows(command, /answers at (http:\S+)\n/);
  return url;
}
