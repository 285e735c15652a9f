import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import { blocksOf, documentFiles, needsExamples, root, Workshop } from './support/docs-blocks.js';
import * as world from './support/docs-world.js';

const workshop = new Workshop('docs-types', Object.keys(world));
const fenced = (await Promise.all((await documentFiles()).map(blocksOf))).flat();
const blocks = fenced.filter((block) => block.language === 'ts' && !needsExamples(block));

beforeAll(() => workshop.fill(blocks));

// The compiler takes as long as many files of other tests.
test('every block passes a strict TypeScript', () => {
  const config = ts.readConfigFile(`${root}tsconfig.json`, (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const paths = blocks.map((block) => workshop.pathOf(block));
  expect(paths.length).toBeGreaterThan(80);
  const program = ts.createProgram(paths, options);
  const problems = blocks.flatMap((block) => {
    const source = program.getSourceFile(workshop.pathOf(block));
    return ts
      .getPreEmitDiagnostics(program, source)
      .map(({ messageText }) => `${block.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  });
  expect(problems).toEqual([]);
});
