import module from 'node:module';
import { PassThrough, Readable } from 'node:stream';
import { onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/run.js';
import type { OpenCommandStore } from '../../src/cli/output.js';
import { defaultRuntime } from '../../src/core/runtime.js';
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { MemoryDurableStore } from '../../src/publisher/index.js';

/** The output of a run of the command, and its exit code. */
export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly json: () => unknown;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** Whether stdout is a terminal. */
  readonly tty?: boolean;
  /** What the user types on a terminal. */
  readonly answer?: string;
  readonly columns?: number;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  /** Called with everything that stdout gets. */
  readonly onOutput?: (text: string) => void;
  /** The same for stderr. */
  readonly onError?: (text: string) => void;
}

/** Runs the command in this process. */
export async function runCommand(
  args: readonly string[],
  options: CliOptions = {},
  openFile?: (file: string) => Promise<OpenCommandStore>,
): Promise<CliResult> {
  let [out, err] = ['', ''];
  const { env = {}, stdin = '', tty = false, columns = 100, signal = new AbortController().signal } = options;
  const code = await run(args, {
    stdin: options.answer === undefined ? Readable.from([stdin]) : typed(options.answer),
    stdout: {
      isTTY: tty,
      columns,
      write: (text) => {
        out += text;
        options.onOutput?.(text);
      },
    },
    stderr:
      options.answer === undefined
        ? {
            isTTY: false,
            write: (text) => {
              err += text;
              options.onError?.(text);
            },
          }
        : screen((text) => {
            err += text;
          }),
    env,
    signal,
    now: options.now ?? Date.now,
    ...(openFile === undefined ? {} : { openFile }),
  });
  return { code, out, err, json: () => JSON.parse(out) as unknown };
}

function typed(line: string): PassThrough & { isTTY: true } {
  const keyboard = Object.assign(new PassThrough(), { isTTY: true as const });
  keyboard.write(`${line}\n`);
  return keyboard;
}

/** A terminal that shows what is written. */
function screen(onText: (text: string) => void): PassThrough & { isTTY: true } {
  const terminal = Object.assign(new PassThrough(), { isTTY: true as const });
  terminal.on('data', (chunk: Buffer) => {
    onText(chunk.toString());
  });
  return terminal;
}

/** Replaces functions of `node:module` until the test ends, for example on a Node with other built-in modules. */
export function replaceInModule(functions: Partial<Pick<typeof module, 'isBuiltin' | 'createRequire'>>): void {
  const before = { isBuiltin: module.isBuiltin, createRequire: module.createRequire };
  const set = (some: typeof functions) => {
    Object.assign(module, some);
    module.syncBuiltinESMExports();
  };
  set(functions);
  onTestFinished(() => {
    set(before);
  });
}

/** The access key of the emulator in these tests. */
export const accessKey = 'key-of-the-tests';

/** A service on a socket, and the command with its settings and a store in memory. Its waits are short. */
export interface CliWorld {
  readonly service: Emulator;
  readonly url: string;
  readonly accountId: string;
  readonly run: (args: readonly string[], options?: CliOptions) => Promise<CliResult>;
  readonly creates: () => number;
  readonly close: () => Promise<unknown>;
}

/** Starts a {@link CliWorld}. It ends with the test. */
export async function cliWorld(options: EmulatorOptions = {}): Promise<CliWorld> {
  const world = await startCliWorld(options);
  onTestFinished(async () => {
    await world.close();
  });
  return world;
}

/** Starts a {@link CliWorld}, which the caller closes. */
export async function startCliWorld(options: EmulatorOptions = {}): Promise<CliWorld> {
  const service = createEmulator({ accessKey, now: Date.now, ...options });
  const served = await serveEmulator(service, { console: true });
  const { id: accountId } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  const store = new MemoryDurableStore();
  const sleep = defaultRuntime.sleep.bind(defaultRuntime);
  const sleeping = vi.spyOn(defaultRuntime, 'sleep').mockImplementation((ms, signal) => sleep(ms / 20, signal));
  const openFile = () => Promise.resolve({ store, close: () => undefined });
  const settings = {
    SOCIAL_PUBLISHING_BASE_URL: served.url,
    SOCIAL_PUBLISHING_ACCESS_KEY: accessKey,
    XDG_STATE_HOME: '/nonexistent',
  };
  return {
    service,
    url: served.url,
    accountId,
    run: (args, { env, ...more } = {}) => runCommand(args, { ...more, env: { ...settings, ...env } }, openFile),
    creates: () => service.requests.filter(({ route }) => route === 'POST /v1/posts/').length,
    close: () => {
      sleeping.mockRestore();
      return served.close();
    },
  };
}
