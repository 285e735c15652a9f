/** The programs of documents and examples are copied. They must not publish twice, lose a post or lose a header. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { MemoryDurableStore } from '../src/publisher/index.js';
import { blocksOf, documentFiles, readDocument, takenForGranted, Workshop, type Block } from './support/docs-blocks.js';
import { eventually } from './support/eventually.js';
import { examplePrograms } from './support/example-programs.js';
import { runBlock, serveDocuments } from './support/run-block.js';

// Another file of tests may have published the same texts, and equal posts are ambiguous: this world is a new one.
vi.resetModules();
const world = await import('./support/docs-world.js');

const files = await documentFiles();
const blocks = (await Promise.all(files.map(blocksOf))).flat().filter(({ language }) => language === 'ts');
const examples = examplePrograms().map((name) => ({ name, code: readFileSync(name, 'utf8') }));
const workshop = new Workshop('docs-safety', Object.keys(world));

function programsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /(?<!\.d)\.tsx?$/.test(name)).map((name) => `${folder}/${name}`);
}

const run = (block: Block, name: string, code: string) => runBlock(workshop, block, { name, code });

serveDocuments(world);

describe('a retry of failed targets', () => {
  const retries = [...blocks, ...examples].filter(({ code }) => /\bretryFailed\(/.test(code));

  it.each(retries)('has a key: $name', ({ code }) => {
    expect(retries.length).toBeGreaterThan(4);
    const names = [...code.matchAll(/(\w+) = (?:await )?retryFailed\(/g)].map(([, name]) => name ?? '');
    expect(names.filter((name) => new RegExp(`\\.create(?:Many)?\\(\\[?${name}\\b`).test(code))).toEqual([]);
  });

  it('publishes nothing more if the program of the guide runs again on the same store', async () => {
    const block = blocks.find(({ file, code }) => file === 'docs/results.md' && code.includes(' retryFailed(post)'));
    if (block === undefined) return expect.unreachable();
    vi.stubGlobal('store', new MemoryDurableStore());
    const code = block.code.replace('new MemoryDurableStore()', 'globalThis.store');
    const counts = [world.service.posts.length];
    for (const name of ['first', 'again']) {
      await run(block, name, code);
      counts.push(world.service.posts.length);
    }
    // The documents share the service, so the number of partial posts depends on the files that ran before.
    const [before = 0, first = 0, again = 0] = counts;
    expect(first).toBeGreaterThan(before);
    expect(again).toBe(first);
  });
});

describe('a retry through a publisher', () => {
  const retries = [...blocks, ...examples].filter(({ code }) => code.includes('publisher.retryFailed('));

  it.each(retries)('has the same form of its key everywhere: $name', ({ code }) => {
    const calls = [...code.matchAll(/publisher\.retryFailed\((?:'(.+?)'|([\w.]+)), ['`](.+?)['`]\)/g)];
    expect(calls.length).toBeGreaterThan(0);
    for (const [, text, name = '', retryKey] of calls) expect(retryKey).toBe(`${text ?? `\${${name}}`}/retry-1`);
  });

  it.each([...new Set(retries.flatMap((retry) => ('file' in retry ? [retry.file] : [])))])(
    'has a warning about another key: %s',
    async (file) => {
      expect((await readDocument(file)).replaceAll(/\s+/g, ' ')).toContain(
        'another retry key publishes the failed targets once more',
      );
    },
  );
});

describe('the start of an inbox', () => {
  it('survives a catchUp that rejects, and repeats it regularly', async () => {
    const block = blocks.find(({ code }) => code.includes('inbox.catchUp('));
    if (block === undefined) return expect.unreachable();
    const store = Object.assign(new MemoryDurableStore(), {
      setup: () => Promise.resolve(),
      close: () => Promise.resolve(),
    });
    vi.stubGlobal('store', store);
    const code = block.code
      .replace("new SqliteStore('events.db')", 'globalThis.store')
      .replace('.listen(3000)', '.listen(0)')
      .replace('60_000', '1')
      .replace('pauseMs = 3_600_000', 'pauseMs = 1');
    const lists = () => world.service.requests.filter(({ method }) => method === 'GET').length;
    const before = lists();
    world.service.faults.add({ route: 'GET', kind: 'status', status: 401, times: 1 });
    const { startInbox } = await run(block, 'catchUp', code);
    const stop = await (startInbox as () => Promise<() => Promise<void>>)();
    await eventually(() => {
      expect(lists()).toBeGreaterThan(before + 5); // one that failed, and more than one that read both ranges
    });
    expect(console.error).toHaveBeenCalledTimes(1);
    await stop();
  });
});

describe('a create that is aborted after the service executed it', () => {
  // Another block has a client of its own.
  const searching = blocks.filter(
    (block) =>
      /\bcatch \(error\)[^}]*reconcile\(error/.test(block.code) && takenForGranted(block, ['client']).length > 0,
  );

  it.each(searching)('is searched for, not reported as not published: $name', async (block) => {
    expect(searching.length).toBeGreaterThan(1);
    const controller = new AbortController();
    const { client, service } = world;
    const create = client.posts.create.bind(client.posts);
    // Another text: files in one process share the service, and an earlier equal post of another file is ambiguous.
    vi.spyOn(client.posts, 'create').mockImplementation((body: Parameters<typeof create>[0]) =>
      create({ ...body, content: block.name }, { signal: controller.signal }),
    );
    const search = vi.spyOn(client.posts, 'reconcile');
    const fetch = service.fetch.bind(service);
    vi.spyOn(service, 'fetch').mockImplementation(async (input, init) => {
      const reply = await fetch(input, init);
      if (init?.method === 'POST') controller.abort(new Error('stopped'));
      return reply;
    });

    await run(block, 'aborted', block.code);

    expect(search).toHaveBeenCalledTimes(1);
    expect(await search.mock.results[0]?.value).toMatchObject({ status: 'created' });
  });

  it('has an outcome in every program, although its error is not of this package', () => {
    const rethrowing = /instanceof SocialPublishingError\) \|\| error\.outcome !== 'unknown'\) throw/;
    expect([...blocks, ...examples].filter(({ code }) => rethrowing.test(code)).map(({ name }) => name)).toEqual([]);
  });
});

describe('what a program needs', () => {
  const named = (code: string) => {
    const all = [...code.matchAll(/\bfrom '([^'.][^']*)'/g)].map(([, name = '']) => name);
    return all.filter((name) => !/^(?:node:|bun:|social-publishing\b|vitest$)/.test(name));
  };
  const needing = examples.flatMap(({ name, code }) => named(code).map((needed) => ({ name, needed })));

  it.each(needing)('$name says how to install $needed', ({ name, needed }) => {
    const [packageName = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(needed) ?? [];
    const beside = examples.filter((one) => dirname(one.name) === dirname(name));
    const advice = beside.flatMap(({ code }) =>
      [...code.matchAll(/`npm install ([^`]*)`/g)].map(([, words = '']) => words),
    );
    expect(advice.flatMap((words) => words.split(' '))).toContain(packageName);
  });
});

describe('the version of Node', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  const sources = programsIn('src').map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const documents = files.map(async (file) => ({ file, text: await readDocument(file) }));

  it('is the same in package.json, documents and messages', async () => {
    expect(engines.node).toBe('>=22');
    const older = [...sources, ...(await Promise.all(documents))].flatMap(({ file, text }) =>
      [...text.matchAll(/Node (?:1\d|2[01])(?:\.\d+)* (?:or|and) (?:later|newer|up)/g)].map(
        ([words]) => `${file}: ${words}`,
      ),
    );
    expect(older).toEqual([]);
  });
});
