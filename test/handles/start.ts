import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Campaign } from './programs/campaign.js';
import type { Task } from './programs/process.js';
import { driverFolder, nodePath } from './folder.js';
import type { Publishing } from './kills.js';

/** Files of one run: the bundled programs, and the databases. */
export const run = mkdtempSync(join(tmpdir(), 'social-publishing-handles-'));
process.on('exit', () => {
  rmSync(run, { recursive: true, force: true });
});

/** Bundles a program from the sources, and returns its path. */
export async function bundle(name: 'process' | 'worker'): Promise<string> {
  const outfile = join(run, `${name}.mjs`);
  await build({
    entryPoints: [`test/handles/programs/${name}.ts`],
    ...{ outfile, bundle: true, format: 'esm', target: 'es2022', logLevel: 'error' },
    ...(name === 'worker'
      ? { platform: 'neutral', mainFields: ['module', 'main'], external: ['node:*'] }
      : { platform: 'node', external: ['bun:sqlite'] }),
  });
  return outfile;
}

/** Runs a task in a process and returns the lines that it prints, parsed. */
export function startTask(
  command: string,
  program: string,
  task: Task,
): { child: ChildProcess; lines: AsyncIterable<unknown>; end: Promise<void> } {
  const child = spawn(command, [program, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const end = once(child, 'close').then(([code, signal]) => {
    if (code !== 0 && signal !== 'SIGKILL')
      throw new Error(`${task.handle} ended with ${String(code)}: ${errors.slice(-3000)}`);
  });
  end.catch(() => {}); // It is awaited later.
  return { child, lines: parsedLines(child), end };
}

async function* parsedLines({ stdout }: ChildProcess): AsyncIterable<unknown> {
  let rest = '';
  for await (const chunk of stdout ?? []) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}

export function publishInProcess(command: string, program: string, task: Task): Publishing {
  const { child, lines, end } = startTask(command, program, task);
  let isReady = (): void => {};
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  const states = (async () => {
    let last: unknown;
    for await (const line of lines) {
      if (line === 'ready') isReady();
      else last = line;
    }
    await end;
    if (last === undefined) throw new Error('The process ended before it published everything.');
    return (last as { states: Record<string, string> }).states;
  })();
  states.catch(() => {}); // A process that is killed has none.
  return {
    ready,
    states,
    kill: async () => {
      child.kill('SIGKILL');
      await end;
    },
  };
}

/** workerd with its worker, on a folder of data. */
export interface Host {
  readonly url: string;
  kill(): Promise<void>;
}

/**
 * Starts workerd. It is a child of miniflare's process, so both are killed.
 * @param port default: any free port
 */
export async function startHost(worker: string, data: string, port?: number): Promise<Host> {
  const settings = JSON.stringify({ ...(port === undefined ? {} : { port }) });
  const child = spawn(nodePath(), ['test/handles/host.mjs', driverFolder, worker, data, settings], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const failed = once(child, 'exit').then(() => {
    throw new Error('workerd did not start.');
  });
  failed.catch(() => {}); // It also ends when it is killed.
  const [line] = (await Promise.race([once(child.stdout, 'data'), failed])) as [Buffer];
  return {
    url: line.toString().trim(),
    kill: async () => {
      const end = once(child, 'close');
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await end;
    },
  };
}

export function publishInWorker(on: 'd1' | 'object', worker: string, data: string, campaign: Campaign): Publishing {
  const started = startHost(worker, data, campaign.events.port);
  const states = started.then(async ({ url }) => {
    const reply = await fetch(`${url}?on=${on}`, { method: 'POST', body: JSON.stringify(campaign) });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`The worker answered ${String(reply.status)}: ${text.slice(0, 3000)}`);
    return (JSON.parse(text) as { states: Record<string, string> }).states;
  });
  states.catch(() => {}); // A worker that is killed has none.
  return {
    ready: started.then(() => {}),
    states: states.then(async (all) => {
      await (await started).kill();
      return all;
    }),
    kill: async () => {
      await (await started).kill();
    },
  };
}
