import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { SocialPublishing } from '../../../src/index.js';
import { freePort } from '../../support/temporary-servers.js';

/** Returns the command that runs a program of an example: `enqueue`, `receiver` or `worker`. */
export type CommandOf = (program: string) => readonly [command: string, ...args: string[]];

/** The service on a socket, and the programs of an example in separate processes, which can be killed. */
export class Campaign {
  readonly service: Emulator;
  readonly client: SocialPublishing;
  readonly #commandOf: CommandOf;
  readonly #env: Record<string, string>;
  readonly #running = new Map<ChildProcess, { readonly program: string; readonly args: readonly string[] }>();
  readonly #close: () => Promise<void>;
  /** The output of the programs, for failures. */
  log = '';

  private constructor(given: {
    readonly service: Emulator;
    readonly client: SocialPublishing;
    readonly commandOf: CommandOf;
    readonly env: Record<string, string>;
    readonly close: () => Promise<void>;
  }) {
    this.service = given.service;
    this.client = given.client;
    this.#commandOf = given.commandOf;
    this.#env = given.env;
    this.#close = given.close;
  }

  static async start(commandOf: CommandOf, env: Readonly<Record<string, string>>): Promise<Campaign> {
    const service = createEmulator({ accessKey: 'test-key' });
    const server = await serveEmulator(service, { port: 0, realTime: true });
    for (const platform of ['bluesky', 'threads'] as const) service.seed.integration({ platform });
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'test-key' });
    const port = await freePort();
    const { webhook } = await client.notifications.create({
      channel: 'webhook',
      eventTypes: ['post.published', 'post.partial', 'post.failed'],
      webhook: { url: `http://127.0.0.1:${String(port)}/` },
    });
    const all = {
      ...env,
      SOCIAL_PUBLISHING_BASE_URL: server.url,
      SOCIAL_PUBLISHING_ACCESS_KEY: 'test-key',
      WEBHOOK_SECRET: webhook?.secret ?? '',
      PORT: String(port),
      LEASE_MS: '2000',
    };
    return new Campaign({ service, client, commandOf, env: all, close: () => server.close() });
  }

  /** Starts a program, and waits until it says that it is there, or has ended. */
  async run(program: string, ...args: string[]): Promise<ChildProcess> {
    const [command, ...rest] = this.#commandOf(program);
    const child = spawn(command, [...rest, ...args], {
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.set(child, { program, args });
    child.once('exit', () => this.#running.delete(child));
    const isThere = new Promise<void>((resolve) => {
      const note = (chunk: Buffer) => {
        this.log += `${program}: ${chunk.toString()}`;
        if (/working|listening|queued/.test(chunk.toString())) resolve();
      };
      child.stdout.on('data', note);
      child.stderr.on('data', note);
    });
    await Promise.race([isThere, once(child, 'exit')]);
    return child;
  }

  /** Kills one of the running programs of a name, and starts it again with the same arguments. */
  async killOne(name: string): Promise<void> {
    const running = [...this.#running].filter(([, { program }]) => program === name);
    const [child, { args } = { args: [] }] = running[Math.floor(Math.random() * running.length)] ?? [];
    child?.kill('SIGKILL');
    await this.run(name, ...args);
  }

  /** Waits until a condition holds, or fails with the output of the programs. */
  async until(what: string, holds: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const end = Date.now() + timeoutMs;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`${what}: not within ${String(timeoutMs)} ms\n${this.log.slice(-4000)}`);
      await sleep(200);
    }
  }

  async stop(): Promise<void> {
    const children = [...this.#running.keys()];
    const exits = children.map((child) => once(child, 'exit'));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(exits);
    await this.#close();
  }
}

export async function nodeOf(major: number): Promise<string> {
  if (Number(process.versions.node.split('.')[0]) >= major) return process.execPath;
  const child = spawn('npx', ['-y', '-p', `node@${String(major)}`, 'node', '-p', 'process.execPath']);
  let path = '';
  child.stdout.on('data', (chunk: Buffer) => (path += chunk.toString()));
  await once(child, 'exit');
  return path.trim();
}
