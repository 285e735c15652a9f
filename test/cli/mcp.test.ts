import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryDurableStore } from '../../src/publisher/index.js';
import { accessKey, cliWorld, type CliWorld } from '../support/cli.js';
import { withMcpAgent } from './mcp-agent.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let world: CliWorld;
let folder: string;
beforeEach(async () => {
  world = await cliWorld();
  folder = temporaryFolder('cli');
});

function openFile() {
  return Promise.resolve({ store: new MemoryDurableStore(), close: () => undefined });
}

describe('mcp', () => {
  it('shows the agent only the accounts of --account', async () => {
    const other = world.service.seed.integration({ platform: 'threads' }).id;
    world.service.seed.integration({ platform: 'facebook' });
    // Port 0 is any free port.
    const args = ['--base-url', world.url, '--account', world.accountId, '--account', other, '--port', '0'];
    await withMcpAgent(args, { accessKey, openFile }, async (client) => {
      const { structuredContent } = await client.callTool({ name: 'list_accounts', arguments: {} });
      const { accounts } = (structuredContent as { data: { accounts: { accountId: string }[] } }).data;
      expect(accounts.map(({ accountId }) => accountId).sort()).toEqual([world.accountId, other].sort());
    });
  });

  it.each([
    [['--account', 'nope'], "--account: there is no account 'nope' at this service."],
    [['--account', ''], '--account must be the ID of an account.'],
    [['--token-file', 'token.txt'], '--token-file needs --http.'],
    [['--port', '3333'], '--port needs --http.'],
  ])('does not start with %j', async (args, message) => {
    const { code, out, err } = await world.run(['mcp', ...args]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  it('starts with --account while the service is down, and says that it checked nothing', async () => {
    world.service.faults.add({ kind: 'status', status: 403, route: 'GET /v1/connect/integrations/{id}', times: 1 });
    const args = ['--base-url', world.url, '--account', world.accountId];
    const err = await withMcpAgent(args, { accessKey, openFile }, async (client) => {
      expect((await client.listTools()).tools).not.toEqual([]);
    });
    expect(err).toContain(`The account ${world.accountId} could not be checked: `);
  });

  it('ends with 130 after Ctrl-C while it checks an account', async () => {
    world.service.faults.add({ kind: 'latency', latencyMs: 3_600_000, times: 1 });
    const stop = new AbortController();
    const running = world.run(['mcp', '--account', world.accountId], { signal: stop.signal });
    await expect.poll(() => world.service.requests.length).toBe(1);
    stop.abort(new DOMException('Interrupted.', 'AbortError'));
    const { code, err } = await running;
    expect([code, err]).toEqual([130, expect.not.stringContaining('could not be checked')]);
  });

  it('sends and checks the fields of --extras', async () => {
    const file = join(folder, 'extras.json');
    const mediaItems = { type: 'array', items: { type: 'object', properties: { url: { type: 'string' } } } };
    await writeFile(file, JSON.stringify({ type: 'object', properties: { mediaItems }, required: ['mediaItems'] }));
    const args = ['--base-url', world.url, '--extras', file];
    await withMcpAgent(args, { accessKey, openFile }, async (client) => {
      const create = (key: string, extra: object) =>
        client.callTool({ name: 'create_post', arguments: { key, content: 'Hello', extra } });
      const extra = { mediaItems: [{ url: 'https://example.com/a.jpg' }] };
      expect((await create('k', extra)).structuredContent).toMatchObject({ status: 'ok' });
      expect(world.service.requests.at(-1)?.body).toMatchObject(extra);
      expect((await create('l', { mediaItems: 5 })).structuredContent).toMatchObject({
        status: 'invalid',
        summary: expect.stringContaining('extra: data/mediaItems must be array') as string,
      });
    });
  });

  it.each([
    ['{"type":"objekt"}', 'is not a JSON Schema'],
    ['{"type":"string"}', 'postExtras must be the schema of an object'],
    ['{"type":"object","properties":{"publishNow":{}}}', 'postExtras must not have the field publishNow'],
    ['[]', 'must contain one JSON object'],
  ])('refuses --extras with %s, and writes nothing to stdout', async (schema, message) => {
    const file = join(folder, 'extras.json');
    await writeFile(file, schema);
    const { code, out, err } = await world.run(['mcp', '--extras', file]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });
});
