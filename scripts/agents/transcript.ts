import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { command, openService } from './service.js';

/** Connects a real MCP client to the built command over stdio. Returns every message of both sides. */
export async function transcript(): Promise<string> {
  const service = await openService();
  const lines: string[] = [];
  const stdio = new StdioClientTransport({
    command: process.execPath,
    args: [command, 'mcp'],
    // The type wants no undefined values.
    env: service.env as Record<string, string>,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'report', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  const answers = ['accept', 'decline'] as const;
  let asked = 0;
  client.setRequestHandler('elicitation/create', () => {
    const action = answers[asked] ?? 'cancel';
    asked += 1;
    return action === 'accept' ? { action, content: {} } : { action };
  });
  await client.connect(new LoggedTransport(stdio, lines));
  await client.listTools();
  const post = { content: 'Hello', mode: 'publish', accountIds: [service.accountId] };
  const create = (key: string) => client.callTool({ name: 'create_post', arguments: { key, ...post } });
  await client.callTool({ name: 'list_accounts', arguments: {} });
  await create('accepted');
  await create('declined');
  await create('accepted');
  await client.close();
  const posts = service.emulator.posts.length;
  await service.close();
  return `\`\`\`text\n${lines.join('\n')}\n\`\`\`\n\nQuestions to the user: ${String(asked)}. Posts of the service: ${String(posts)}.`;
}

/** Passes messages on, and keeps them. */
class LoggedTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #inner: Transport;
  readonly #lines: string[];

  constructor(inner: Transport, lines: string[]) {
    this.#inner = inner;
    this.#lines = lines;
    inner.onmessage = (message: JSONRPCMessage) => {
      lines.push(`server → ${short(message)}`);
      this.onmessage?.(message);
    };
    inner.onclose = () => this.onclose?.();
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#lines.push(`client → ${short(message)}`);
    return this.#inner.send(message);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** The list of tools is long: its schemas are in the list above. */
function short(message: unknown): string {
  const text = JSON.stringify(message);
  return text.length <= 1_500
    ? text
    : `${text.slice(0, 700)} … (${String(text.length)} characters) … ${text.slice(-200)}`;
}
