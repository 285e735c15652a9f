/**
 * One task for each library that hosts agents, with a scripted model: list accounts, preview, create with approval, repeat
 * with the same key, wait. Everything that the model calls and sees is written to a transcript.
 */
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { SocialPublishing } from '../../../src/index.js';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { createPublisher, MemoryDurableStore } from '../../../src/publisher/index.js';
import { createTools, type Tool } from '../../../src/tools/index.js';
import { serveMcpOverStdio } from '../../../src/tools/mcp/serve.js';
import { quoted } from '../../../src/cli/command.js';
import { runCommand } from '../../../test/support/cli.js';

export interface ScriptedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A server of MCP over HTTP, for hosts that connect to one. */
export interface HttpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const accessKey = 'test-key';
const store = '/state/posts.db';
const longestLine = 700;

export class HostWorld {
  readonly service: Emulator;
  readonly #store = new MemoryDurableStore();
  readonly #lines: string[] = [];
  readonly #accountId: string;
  readonly #closes: (() => Promise<unknown>)[] = [];
  #url = '';
  /** The user runs the command that `next` names, because the host cannot ask. */
  #usesCommand = false;
  #step = 0;

  readonly #agrees: boolean;

  constructor({ agrees = true }: { readonly agrees?: boolean } = {}) {
    this.#agrees = agrees;
    this.service = createEmulator({ accessKey, now: () => Date.parse('2027-03-01T09:00:00Z') });
    this.#accountId = this.service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
  }

  /** Returns the tools in this process, with the default mode: a post needs approval. */
  tools(): Tool[] {
    const { fetch } = this.service;
    const client = new SocialPublishing({ baseUrl: 'https://service.test', accessKey, fetch });
    return createTools({ client, publisher: createPublisher({ client, store: this.#store }), store: this.#store });
  }

  /** Starts the MCP server of the tools, in memory. Returns the transport of the client. */
  serveInMemory(): InMemoryTransport {
    const [mine, theirs] = InMemoryTransport.createLinkedPair();
    const served = serveMcpOverStdio({ tools: this.tools(), transport: theirs });
    this.#closes.push(() => served.close());
    return mine;
  }

  /** Runs `social-publishing mcp --http`. If the client cannot ask the user, the user approves with the command. */
  async serveOverHttp({ asks }: { readonly asks: boolean }): Promise<HttpServer> {
    const served = await serveEmulator(this.service);
    this.#url = served.url;
    this.#usesCommand = !asks;
    const stop = new AbortController();
    let said = '';
    const started = new Promise<void>((resolve) => {
      const running = this.#command(['mcp', '--http'], stop.signal, (text) => {
        said += text;
        if (/Authorization: .*\n/.test(said)) resolve();
      });
      this.#closes.push(async () => {
        stop.abort();
        await running;
        await served.close();
      });
    });
    await started;
    const [url = ''] = /http:\S+\/mcp/.exec(said) ?? [];
    const [, authorization = ''] = /Authorization: (.*)/.exec(said) ?? [];
    return { url, headers: { authorization } };
  }

  /** Returns the next call of the model, after it has seen the last result. `undefined`: it has finished. */
  async next(seen?: string): Promise<ScriptedCall | undefined> {
    if (seen !== undefined) this.#write('model sees', seen);
    const call = this.#calls[this.#step];
    this.#step += 1;
    if (this.#usesCommand && this.#step === 4) await this.#approveByCommand();
    if (call === undefined) return undefined;
    if (call.tool === 'wait_for_post') await this.service.clock.advance({ minutes: 2 });
    this.#write('model calls', `${call.tool} ${JSON.stringify(call.input)}`);
    return call;
  }

  /** Asks the user. */
  ask(question: string): boolean {
    this.#write('user is asked', question);
    this.#write('user', this.#agrees ? 'yes' : 'no');
    return this.#agrees;
  }

  async close(): Promise<string> {
    for (const close of this.#closes.reverse()) await close();
    return this.#lines.join('\n');
  }

  get #calls(): readonly ScriptedCall[] {
    const post = { content: 'Spring is here', mode: 'publish', accountIds: [this.#accountId] };
    const create = { tool: 'create_post', input: { key: 'spring-sale', ...post } };
    return [
      { tool: 'list_accounts', input: {} },
      { tool: 'preview_post', input: post },
      create,
      create,
      { tool: 'wait_for_post', input: { key: 'spring-sale', seconds: 1 } },
    ];
  }

  /** The command of the user, with the service and the store that `next` names. */
  async #approveByCommand(): Promise<void> {
    const target = ['--target', `bluesky:${this.#accountId}`];
    const post = [
      'publish',
      '--key',
      'spring-sale',
      '--content',
      'Spring is here',
      ...target,
      '--publish-now',
      '--yes',
    ];
    const { code, out } = await this.#command([...post, '--json']);
    this.#write('user runs', `social-publishing ${post.map(quoted).join(' ')} --base-url URL --store ${store}`);
    const { state } = JSON.parse(out) as { state: string };
    this.#write('command', `exit code ${String(code)}, the post is ${state}`);
  }

  #command(args: readonly string[], signal?: AbortSignal, onError?: (text: string) => void) {
    const env = { SOCIAL_PUBLISHING_BASE_URL: this.#url, SOCIAL_PUBLISHING_ACCESS_KEY: accessKey };
    const openFile = (name: string) => Promise.resolve({ store: this.#store, name, close: () => undefined });
    const options = { env, ...(signal && { signal }), ...(onError && { onError }) };
    return runCommand([...args, '--store', store], options, openFile);
  }

  #write(who: string, text: string): void {
    const shown = (this.#url === '' ? text : text.replaceAll(this.#url, 'URL')).replace(
      /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
      'TIME',
    );
    this.#lines.push(`${who}: ${shown.length > longestLine ? `${shown.slice(0, longestLine)}…` : shown}`);
  }
}

/** The text blocks of a result, as a host passes them to the model. */
export function textOf(content: unknown): string {
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('\n');
}
