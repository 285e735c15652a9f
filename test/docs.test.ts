import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as world from './support/docs-world.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const workshop = `${root}.tmp/docs`;
const given = Object.keys(world);

interface Block {
  /** Where it stands, for example `README.md:25`. */
  readonly name: string;
  readonly code: string;
}

async function blocksOf(file: string): Promise<Block[]> {
  const text = await readFile(root + file, 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => ({
    name: `${file}:${String(text.slice(0, match.index).split('\n').length)}`,
    code: match[1] ?? '',
  }));
}

/** A block as a module: what it takes for granted is imported, what it makes itself is not. */
function moduleOf({ code }: Block): string {
  const makes = (name: string) =>
    new RegExp(
      `(?:const|let|function|class)\\s+${name}\\b|\\bimport [^;]*\\b${name}\\b|(?:const|let) [[{][^=]*\\b${name}\\b[^=]*=`,
    ).test(code);
  const names = given.filter((name) => new RegExp(`(?<![.'\\w])${name}\\b(?!\\s*:)`).test(code) && !makes(name));
  return `import { ${names.join(', ')} } from '../../test/support/docs-world.js';\n${code}\nexport {};\n`;
}

const docs = await readdir(`${root}docs`);
const files = ['README.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
const blocks = (await Promise.all(files.map(blocksOf))).flat();

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'info').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.stubEnv('SOCIAL_PUBLISHING_BASE_URL', 'https://api.example.com');
  vi.stubEnv('SOCIAL_PUBLISHING_ACCESS_KEY', world.accessKey);
  const real = globalThis.fetch;
  // The addresses of the documents are made up: the emulator answers for them.
  vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
    const { hostname } = new URL(input instanceof Request ? input.url : input);
    return hostname.endsWith('example.com') ? world.service.fetch(input, init) : real(input, init);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const pathOf = (block: Block) => `${workshop}/${block.name.replace(/\W+/g, '-')}.ts`;

beforeAll(async () => {
  await rm(workshop, { recursive: true, force: true });
  await mkdir(workshop, { recursive: true });
  await Promise.all(blocks.map((block) => writeFile(pathOf(block), moduleOf(block))));
});

test('the documents hold code', () => {
  expect(blocks.length).toBeGreaterThan(15);
});

test.each(blocks)('$name runs as it stands', async (block) => {
  await import(/* @vite-ignore */ pathOf(block));
});

test('every block passes a strict TypeScript', { timeout: 60_000 }, () => {
  const config = ts.readConfigFile(`${root}tsconfig.json`, (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const program = ts.createProgram(blocks.map(pathOf), options);
  const problems = blocks.flatMap((block) => {
    const source = program.getSourceFile(pathOf(block));
    return ts
      .getPreEmitDiagnostics(program, source)
      .map(({ messageText }) => `${block.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  });
  expect(problems).toEqual([]);
});
