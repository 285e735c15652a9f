/** What is written from the code stands as it would be written now, and every guide and method has its place. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readGuide, readGuides } from '../scripts/docs/guides.js';
import { inDoubtText } from '../scripts/docs/in-doubt.js';
import { guideList, llmsFull, llmsIndex } from '../scripts/docs/llms.js';
import { methodTables, readFunctions, readMethods } from '../scripts/docs/methods.js';
import { withSection } from '../scripts/docs/section.js';

const hint = 'is not current: run npm run documents';

describe('what npm run documents writes', () => {
  it.each([
    ['docs/client.md', 'methods', methodTables()],
    ['docs/durable.md', 'in-doubt', inDoubtText()],
    ['docs/which-piece.md', 'guides', guideList()],
  ])('%s has the section %s', (path, name, text) => {
    const document = readFileSync(path, 'utf8');
    expect(withSection(document, name, text) === document, `${path} ${hint}`).toBe(true);
  });

  it('llms.txt is current', () => {
    expect(readFileSync('llms.txt', 'utf8') === llmsIndex(), `llms.txt ${hint}`).toBe(true);
  });
});

describe('what the build writes', () => {
  it('llms-full.txt contains README.md and every guide', () => {
    const text = llmsFull();
    for (const path of ['README.md', ...[...readGuides().values()].flat().map((guide) => guide.path)]) {
      expect(text).toContain(`<!-- file: ${path} -->`);
      expect(text).toContain(readFileSync(path, 'utf8').trim());
    }
  });
});

describe('the programs that a document names', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: readonly string[] };
  const documents = ['README.md', ...readdirSync('docs').map((name) => `docs/${name}`)].filter((path) =>
    path.endsWith('.md'),
  );
  const named = documents.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/examples\/[\w./-]*\w/g)].map(([program]) => ({ path, program })),
  );

  it('are in the package', () => {
    const isPacked = (program: string) =>
      existsSync(program) && files.some((entry) => program === entry || program.startsWith(`${entry}/`));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ program }) => !isPacked(program))).toEqual([]);
  });
});

describe('the guides', () => {
  const guides = [...readGuides().values()].flat();

  it('each has its place in the order', () => {
    const files = readdirSync('docs').filter((name) => name.endsWith('.md'));
    expect(guides.map(({ name }) => `${name}.md`).sort()).toEqual(files.sort());
  });

  it.each(guides)('$name begins with a sentence that says what it is for', ({ summary }) => {
    expect(summary).toMatch(/^\S.{20,}\.$/);
  });

  it.each(readMethods())('the guide of $name names it', ({ name, guide }) => {
    expect(readGuide(guide).text).toContain(name);
  });

  const everyGuide = guides.map(({ text }) => text).join('\n');
  it('name all that the entries export, so nothing internal is public', async () => {
    const exported: readonly object[] = await Promise.all([
      import('../src/publisher/index.js'),
      import('../src/otel/index.js'),
      import('../src/query/index.js'),
      import('../src/tools/index.js'),
      import('../src/stores/sqlite/index.js'),
      import('../src/stores/postgres/index.js'),
      import('../src/stores/redis/index.js'),
      import('../src/stores/testing/index.js'),
      import('../src/emulator/index.js'),
      import('../src/emulator/adapters/node.js'),
      import('../src/emulator/adapters/msw.js'),
      import('../src/webhooks/index.js'),
    ]);
    const unnamed = exported.flatMap((entry) =>
      Object.keys(entry).filter((name) => !new RegExp(`\\b${name}\\b`).test(everyGuide)),
    );
    expect(unnamed).toEqual([]);
  });

  it.each(readFunctions())('the guide of $name names it', ({ name, guide }) => {
    expect(readGuide(guide).text).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
