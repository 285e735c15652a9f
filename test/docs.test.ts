import { stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  blocksOf,
  documentFiles,
  needsExamples,
  readDocument,
  root,
  takenForGranted,
  Workshop,
} from './support/docs-blocks.js';
import * as world from './support/docs-world.js';
import { examplePrograms } from './support/example-programs.js';
import { fragmentOf } from './support/fragments.js';

/**
 * The languages of blocks that do not run here, and why. Every other block is a `ts` one and runs.
 *
 * - `sh`, or none: for a shell.
 * - `mermaid`: a picture.
 * - `dockerfile`, `yaml`, `json`, `python`, `php`: for another program.
 * - `typescript`: a part of a program in examples, which other tests run.
 * - `text`: what something prints.
 */
const otherLanguages = ['sh', '', 'mermaid', 'dockerfile', 'yaml', 'json', 'python', 'php', 'typescript', 'text'];

/** Their blocks run elsewhere: against a real proxy and real TLS in test/docs-proxies.test.ts. */
const runElsewhere = ['docs/proxies.md'];

/** Other packages than those of this repository: examples/test/docs-blocks.test.ts runs these blocks. */
const ownBlocks = () => blocks.filter((block) => !needsExamples(block));

const workshop = new Workshop('docs', Object.keys(world));
const files = await documentFiles();
const fenced = (await Promise.all(files.map(blocksOf))).flat();
const blocks = fenced.filter(({ language }) => language === 'ts');

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'info').mockImplementation(() => undefined);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
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
  process.removeAllListeners('SIGINT');
});

beforeAll(() => workshop.fill(ownBlocks()));

test('the documents hold code', () => {
  expect(blocks.length).toBeGreaterThan(80);
});

test('every block is of a language that is run, or that says why it is not', () => {
  const others = fenced.filter(({ language }) => language !== 'ts' && !otherLanguages.includes(language));
  expect(others.map(({ name, language }) => `${name}: ${language}`)).toEqual([]);
});

test('TypeScript that does not run here is a part of a program in examples', async () => {
  const programs = await Promise.all(examplePrograms().map(readDocument));
  const unrun = fenced.filter(({ language }) => language === 'typescript');
  const strays = unrun.filter(({ code }) => !programs.some((program) => program.includes(code)));
  expect(strays.map(({ name }) => name)).toEqual([]);
});

test.each(ownBlocks().filter(({ file }) => !runElsewhere.includes(file)))('$name runs unchanged', async (block) => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import(/* @vite-ignore */ workshop.pathOf(block));
  // A comment shows the printed text: `// → published`, with `…` for any text.
  const printed = log.mock.calls.map((parts) => parts.map(String).join(' '));
  const promised = [...block.code.matchAll(/\/\/ → (.+)$/gm)].map(([, text = '']) => text);
  expect(promised.filter((text) => !printed.some((line) => isLike(line, text)))).toEqual([]);
});

function isLike(line: string, text: string): boolean {
  const pattern = text.split('…').map((part) => part.replace(/[^\w\s]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`).test(line);
}

/** Parameters and globals of the same name. */
const noGivens: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['request'],
  'docs/browser.md': ['request'],
  'docs/webhooks.md': ['Bun', 'Deno'],
};

test.each(files)('%s says what its blocks take for granted', async (file) => {
  const prose = (await readDocument(file)).replace(/^```[\s\S]*?^```$/gm, '');
  const own = blocks.filter((block) => block.file === file && !runElsewhere.includes(file));
  // Later blocks may use the variables of earlier ones.
  const made = own.flatMap(({ code }) => [...code.matchAll(/\bconst (\w+) =/g)].map(([, name]) => name));
  const taken = own
    .flatMap((block) => takenForGranted(block, Object.keys(world)))
    .filter((name) => !made.includes(name));
  const unsaid = taken.filter((name) => !prose.includes(`\`${name}\``) && noGivens[file]?.includes(name) !== true);
  expect(unsaid.filter((name) => name !== 'client')).toEqual([]);
});

async function leadsSomewhere(file: string, link: string): Promise<boolean> {
  const [path = '', fragment] = link.split('#', 2);
  const target = path === '' ? file : normalize(join(dirname(file), path));
  const exists = await stat(root + target).then(
    () => true,
    () => false,
  );
  if (!exists || fragment === undefined) return exists;
  const headings = (await readDocument(target)).matchAll(/^#+ (.+)$/gm);
  return [...headings].some(([, heading = '']) => fragmentOf(heading) === fragment);
}

test.each(files)('every link of %s leads somewhere', async (file) => {
  const text = (await readDocument(file)).replace(/^```[\s\S]*?^```$/gm, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const local = links.filter((link) => !/^[a-z]+:/.test(link));
  const leading = await Promise.all(local.map((link) => leadsSomewhere(file, link)));
  expect(local.filter((_, index) => leading[index] === false)).toEqual([]);
});
