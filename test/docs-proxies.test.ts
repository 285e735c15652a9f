/** Runs the blocks of docs/proxies.md unchanged, through a real proxy and over real TLS. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { blocksOf, Workshop, type Block } from './support/docs-blocks.js';
import { selfSigned } from './support/self-signed.js';
import { startAccountServer, startConnectProxy } from './support/tls-servers.js';
import { temporaryFolder } from './support/temporary-folder.js';

const workshop = new Workshop('docs-proxies', []);
const blocks = (await blocksOf('docs/proxies.md')).filter(({ language }) => language === 'ts');

/** The block that uses a part of undici; each part has one. */
function blockWith(text: string): Block {
  const [block, ...others] = blocks.filter(({ code }) => code.includes(text));
  if (block === undefined || others.length > 0) throw new Error(`not exactly one block has ${text}`);
  return block;
}

const run = (text: string) => import(/* @vite-ignore */ workshop.pathOf(blockWith(text)));

beforeAll(() => workshop.fill(blocks));

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  vi.stubEnv('SOCIAL_PUBLISHING_ACCESS_KEY', 'your-access-key');
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('docs/proxies.md', () => {
  it('has no block that is not run here', () => {
    expect(blocks).toHaveLength(4);
  });

  it('goes through the proxy that ProxyAgent names', async () => {
    const server = await startAccountServer(false);
    const proxy = await startConnectProxy();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    vi.stubEnv('SOCIAL_PUBLISHING_BASE_URL', `https://localhost:${server.port}`);
    vi.stubEnv('PROXY_URL', `http://localhost:${proxy.port}`);

    await run('new ProxyAgent(');
    expect(proxy.asked).toEqual([`localhost:${server.port}`]);
    expect(server.paths).toEqual(['/v1/connect/integrations']);
    await Promise.all([server.close(), proxy.close()]);
  });

  it('goes through the proxy that the environment names', async () => {
    const server = await startAccountServer(false);
    const proxy = await startConnectProxy();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    vi.stubEnv('SOCIAL_PUBLISHING_BASE_URL', `https://localhost:${server.port}`);
    for (const name of ['HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, `http://localhost:${proxy.port}`);
    for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '');

    await run('new EnvHttpProxyAgent(');
    expect(proxy.asked).toEqual([`localhost:${server.port}`]);
    expect(server.paths).toEqual(['/v1/connect/integrations']);
    await Promise.all([server.close(), proxy.close()]);
  });

  it('makes at most the configured number of connections, and reuses them', async () => {
    const server = await startAccountServer(false);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    vi.stubEnv('SOCIAL_PUBLISHING_BASE_URL', `https://localhost:${server.port}`);

    await run('keepAliveTimeout');
    expect(server.paths).toHaveLength(10);
    expect(server.connections()).toBeLessThanOrEqual(4);
    await server.close();
  });

  it('connects with a client certificate, and trusts the configured authority', async () => {
    const server = await startAccountServer(true);
    const folder = temporaryFolder('docs-proxies');
    const files = { CLIENT_CERT_FILE: selfSigned.cert, CLIENT_KEY_FILE: selfSigned.key, CA_FILE: selfSigned.cert };
    for (const [variable, text] of Object.entries(files)) {
      await writeFile(join(folder, variable), text);
      vi.stubEnv(variable, join(folder, variable));
    }
    vi.stubEnv('SOCIAL_PUBLISHING_BASE_URL', `https://localhost:${server.port}`);

    await run('CLIENT_CERT_FILE');
    expect(server.paths).toEqual(['/v1/connect/integrations']);
    await server.close();
  });
});
