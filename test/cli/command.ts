import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '../support/bundle-program.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Ended {
  /** `null`: a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts a program of this repository in its own process, by default the command. */
export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program = 'src/cli/main.ts',
): Started {
  return follow(process.execPath, [bundleProgram(program), ...args], env);
}

/** Starts the command in a shell, with a redirection such as `> /dev/full`. */
export function startRedirected(
  redirection: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Started {
  const script = `exec "$0" "$@" ${redirection}`;
  return follow('bash', ['-c', script, process.execPath, bundleProgram('src/cli/main.ts'), ...args], env);
}

function follow(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Started {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
  });
  return { child, ended };
}
