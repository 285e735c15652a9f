import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';

/** The built command. */
export const command = 'dist/command/main.js';
export const accessKey = 'the-access-key-of-this-report';

/** A service on a socket, a folder for stores, and the built command with its settings. */
export interface Service {
  readonly emulator: Emulator;
  readonly url: string;
  readonly accountId: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Starts the command. */
  readonly start: (args: readonly string[], env?: Readonly<Record<string, string>>) => Started;
  readonly close: () => Promise<void>;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

export async function openService(): Promise<Service> {
  const emulator = createEmulator({ accessKey });
  const served = await serveEmulator(emulator, { realTime: true });
  const folder = await mkdtemp(join(tmpdir(), 'agents-'));
  const env = {
    ...process.env,
    SOCIAL_PUBLISHING_BASE_URL: served.url,
    SOCIAL_PUBLISHING_ACCESS_KEY: accessKey,
    XDG_STATE_HOME: folder,
  };
  return {
    emulator,
    url: served.url,
    accountId: emulator.seed.integration({ platform: 'bluesky', username: 'acme' }).id,
    folder,
    env,
    start: (args, more = {}) => startProcess([command, ...args], { ...env, ...more }),
    close: async () => {
      await served.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function startProcess(args: readonly string[], env: NodeJS.ProcessEnv): Started {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
  });
  return { child, ended };
}

/** Waits until something is true. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}
