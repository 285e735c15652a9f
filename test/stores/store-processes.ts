import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { bundleProgram } from '../support/bundle-program.js';
import type { StoreSpec } from './open-store.js';

export interface Job {
  readonly name: 'setup' | 'race' | 'write';
  /** The prefix of all keys. */
  readonly room: string;
  readonly writer: string;
  readonly rounds: number;
}

export interface StoreTask {
  readonly spec: StoreSpec;
  readonly job: Job;
}

export interface StoreProcess {
  /** Its parsed output since it was released. */
  readonly said: unknown[];
  readonly child: ChildProcess;
  /** Resolves once it has ended without a signal; rejects if it failed. */
  readonly done: Promise<void>;
}

/** Starts processes, and lets them go all at once when the last of them is ready. */
export async function startProcesses(tasks: readonly StoreTask[]): Promise<StoreProcess[]> {
  const started = tasks.map(start);
  await Promise.all(started.map(({ ready }) => ready));
  for (const { child } of started) child.send('go');
  return started;
}

function start(task: StoreTask): StoreProcess & { ready: Promise<void> } {
  const child = fork(bundleProgram('test/stores/store-process.ts'), [JSON.stringify(task)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const said: unknown[] = [];
  let errors = '';
  let isReady = (): void => {};
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const parsed: unknown = JSON.parse(line);
      if (parsed === 'ready') isReady();
      else said.push(parsed);
    }
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const done = once(child, 'close').then(([code, signal]) => {
    if (code !== 0 && signal !== 'SIGKILL')
      throw new Error(`A process ended with ${String(code ?? signal)}: ${errors}`);
  });
  return { said, child, done, ready: Promise.race([ready, done]) };
}
