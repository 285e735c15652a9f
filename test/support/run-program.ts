import { onTestFinished } from 'vitest';
import { spawn, type ChildProcess } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { SocialPublishing } from '../../src/index.js';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { bundleProgram } from './bundle-program.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Programs that keep something keep it in SQLite, which Node has from 22.13 on. */
export const hasSqlite = isBuiltin('node:sqlite');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves as soon as stdout holds this. */
  readonly says: (text: string) => Promise<string>;
}

/** A program of `examples/programs`, in a separate process. */
export function startProgram(
  name: string,
  args: readonly string[] = [],
  { env = {}, stdin = '' }: { env?: Readonly<Record<string, string>>; stdin?: string } = {},
): Running {
  const child = spawn(process.execPath, [bundleProgram(`examples/programs/${name}.ts`), ...args], {
    cwd: root,
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
  });
  let out = '';
  let err = '';
  const listeners = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    for (const listener of listeners) listener();
  });
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.end(stdin);
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
  });
  const says = (text: string) =>
    Promise.race([
      new Promise<string>((resolve) => {
        const listener = () => {
          if (out.includes(text)) resolve(out);
        };
        listeners.add(listener);
        listener();
      }),
      ended.then(() => {
        if (!out.includes(text)) throw new Error(`it ended without saying ${text}:\n${out}${err}`);
        return out;
      }),
    ]);
  return { child, ended, says };
}

/** A service on a socket, and programs that use it as their environment says. */
export interface ProgramWorld {
  readonly service: Emulator;
  /** Its address. */
  readonly url: string;
  /** A client of the service, without the socket. */
  readonly client: SocialPublishing;
  readonly run: (name: string, args?: readonly string[], stdin?: string) => Promise<Ended>;
  readonly start: (name: string, args?: readonly string[], env?: Readonly<Record<string, string>>) => Running;
}

/** Starts a service for programs. It ends with the test, and so do the programs that still run. */
export async function programWorld(options: Parameters<typeof createEmulator>[0] = {}): Promise<ProgramWorld> {
  const service = createEmulator({ accessKey: 'key', ...options });
  const served = await serveEmulator(service);
  const started: Running[] = [];
  onTestFinished(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGKILL');
      await ended;
    }
    await served.close();
  });
  const env = { SOCIAL_PUBLISHING_BASE_URL: served.url, SOCIAL_PUBLISHING_ACCESS_KEY: 'key' };
  return {
    service,
    url: served.url,
    client: new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'key', fetch: service.fetch }),
    run: (name, args = [], stdin = '') => startProgram(name, args, { env, stdin }).ended,
    start: (name, args = [], more = {}) => {
      const running = startProgram(name, args, { env: { ...env, ...more } });
      started.push(running);
      return running;
    },
  };
}
