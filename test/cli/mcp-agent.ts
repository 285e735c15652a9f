import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import type { World } from '../../src/cli/output.js';
import { runCommand } from '../support/cli.js';

interface Surroundings {
  readonly accessKey: string;
  readonly openFile: World['openFile'];
}

/** Starts `mcp --http`, and lets an agent use it. The client cannot ask the user. Returns what the command said. */
export async function withMcpAgent(
  args: readonly string[],
  { accessKey, openFile }: Surroundings,
  work: (client: Client) => Promise<void>,
): Promise<string> {
  const stop = new AbortController();
  let err = '';
  const running = runCommand(
    ['mcp', '--http', ...args],
    {
      env: { SOCIAL_PUBLISHING_ACCESS_KEY: accessKey, XDG_STATE_HOME: '/nonexistent' },
      signal: stop.signal,
      onError: (text) => {
        err += text;
      },
    },
    openFile,
  );
  await expect.poll(() => err, { timeout: 60_000 }).toMatch(/Authorization: .*\n/);
  const [url = ''] = /http:\S+\/mcp/.exec(err) ?? [];
  const [, authorization = ''] = /Authorization: (.*)/.exec(err) ?? [];
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }),
  );
  try {
    await work(client);
  } finally {
    await client.close();
    stop.abort();
    await running;
  }
  return err;
}
