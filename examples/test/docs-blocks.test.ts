/** The code blocks of the documents that need packages of `examples`: they run, and pass a strict TypeScript. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  blocksOf,
  documentFiles,
  needsExamples,
  readDocument,
  root,
  Workshop,
  type Block,
} from '../../test/support/docs-blocks.js';
import * as world from '../../test/support/docs-world.js';
import { runBlock, serveDocuments } from '../../test/support/run-block.js';

const workshop = new Workshop('docs', Object.keys(world), 'examples/');
const files = await documentFiles();
const blocks = (await Promise.all(files.map(blocksOf))).flat().filter(({ language }) => language === 'ts');
const own = blocks.filter(needsExamples);

const run = (block: Block, name: string, code: string) => runBlock(workshop, block, { name, code });

beforeAll(() => workshop.fill(own));

serveDocuments(world);

describe('the blocks with packages of examples', () => {
  it.each(own)('$name runs unchanged', async (block) => {
    expect(own.length).toBeGreaterThan(1);
    await import(/* @vite-ignore */ workshop.pathOf(block));
  });

  it('name packages of examples/package.json', async () => {
    const { devDependencies } = JSON.parse(await readDocument('examples/package.json')) as {
      devDependencies: Record<string, string>;
    };
    for (const name of ['ai', 'express', 'fastify']) expect(Object.keys(devDependencies)).toContain(name);
  });

  it('pass a strict TypeScript', () => {
    const config = ts.readConfigFile(`${root}tsconfig.json`, (path) => ts.sys.readFile(path));
    const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
    const paths = own.map((block) => workshop.pathOf(block));
    const program = ts.createProgram(paths, options);
    const problems = paths.flatMap((path) => ts.getPreEmitDiagnostics(program, program.getSourceFile(path)));
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
  });
});

describe('the proxies of docs/browser.md', () => {
  const proxies = blocks.filter(({ file, code }) => file === 'docs/browser.md' && code.includes('x-access-key'));

  it.each(proxies)('forward Retry-After and Date: $name', async (block) => {
    expect(proxies).toHaveLength(2);
    const name = block.code.includes('express') ? 'app' : 'proxy';
    const { [name]: made } = await run(block, 'limited', `${block.code}\nexport { ${name} };`);
    const headers = { 'retry-after': '7' };
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 429, headers, times: 1 });

    const reply = await (name === 'proxy'
      ? (made as (request: Request) => Promise<Response>)(new Request('https://app.example.com/proxy/v1/posts/'))
      : through(made as RequestListener, '/proxy/v1/posts/'));

    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '7']);
    expect(Date.parse(reply.headers.get('date') ?? '')).toBe(Math.floor(world.service.clock.now() / 1_000) * 1_000);
  });

  async function through(listener: RequestListener, path: string): Promise<Response> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // The address of a server on TCP is an object.
    const reply = await fetch(`http://127.0.0.1:${String(port)}${path}`);
    server.close();
    return reply;
  }
});
