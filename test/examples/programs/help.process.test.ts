import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../support/run-program.js';

const folder = new URL('../../../examples/programs/', import.meta.url);
const programs = readdirSync(folder).filter((name) => name.endsWith('.ts'));

/** Returns the expressions that the compiler does not check. */
function beliefs(file: string, source: string): string[] {
  const found: string[] = source.includes('@ts-') ? ['@ts-'] : [];
  const visit = (node: ts.Node) => {
    const isConst = ts.isAsExpression(node) && ts.isConstTypeReference(node.type);
    if (
      (ts.isAsExpression(node) && !isConst) ||
      ts.isTypeAssertionExpression(node) ||
      ts.isNonNullExpression(node) ||
      node.kind === ts.SyntaxKind.AnyKeyword
    )
      found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return found;
}

it('are all listed in docs/examples.md', () => {
  const listed = readFileSync(new URL('../../../docs/examples.md', import.meta.url), 'utf8');
  expect(programs.filter((name) => !listed.includes(`(../examples/programs/${name})`))).toEqual([]);
});

describe.each(programs)('%s', (file) => {
  it('explains its purpose, options and exit codes, without a key', async () => {
    const program = basename(file, '.ts');
    const { ended } = startProgram(program, ['--help'], {
      env: { SOCIAL_PUBLISHING_BASE_URL: '', SOCIAL_PUBLISHING_ACCESS_KEY: '' },
    });
    const { code, out, err } = await ended;
    expect(out).toMatch(new RegExp(`^Usage: ${program} `));
    expect(out).toMatch(/exits with 0/i);
    expect(err).toBe('');
    expect(code).toBe(0);
  });

  it('is short, and needs no cast', () => {
    const source = readFileSync(new URL(file, folder), 'utf8');
    const lines = source.split('\n').filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line));
    expect(lines.length).toBeLessThan(120);
    expect(beliefs(file, source)).toEqual([]);
  });
});

it('an option that there is not is named', async () => {
  const { code, err } = await startProgram('token-health', ['--nonsense']).ended;
  expect(err).toContain('--nonsense');
  expect(code).toBe(1);
});
