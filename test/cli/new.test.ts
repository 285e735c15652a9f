import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const names = readdirSync('examples/programs').map((file) => basename(file, '.ts'));
const source = (name: string) => readFileSync(join(root, 'examples/programs', `${name}.ts`), 'utf8');
const root = process.cwd();
let folder: string;

beforeEach(() => {
  folder = temporaryFolder('social-publishing-new');
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(root);
});

describe('new', () => {
  it('lists the programs with their purpose', async () => {
    const { code, json } = await runCommand(['new']);
    const programs = json() as readonly { readonly name: string; readonly description: string }[];
    expect([code, programs.map(({ name }) => name)]).toEqual([0, names]);
    for (const { description } of programs) expect(description).toMatch(/^[A-Z][^*\n]+\.$/);
    expect((await runCommand(['new'], { tty: true })).out).toContain('token-health');
  });

  it('copies a program that imports only the package and Node', async () => {
    for (const name of names) {
      const { code, json } = await runCommand(['new', name]);
      expect([code, json()]).toMatchObject([0, { file: `${name}.ts` }]);
      const copy = readFileSync(`${name}.ts`, 'utf8');
      expect(copy).toBe(source(name));
      const imports = [...copy.matchAll(/ from '([^']+)'/g)].map(([, from = '']) => from);
      expect(imports.filter((from) => !/^(?:social-publishing|node:)/.test(from))).toEqual([]);
    }
  });

  it.each([
    ['{ "type": "module" }', ''],
    ['{ "type": "commonjs" }', 'npm pkg set type=module && '],
    ['{}', 'npm pkg set type=module && '],
    [undefined, 'npm init -y && npm pkg set type=module && '],
  ])('with the package %j, begins the next step with %j', async (text, first) => {
    if (text !== undefined) writeFileSync('package.json', text);
    const { json } = await runCommand(['new', 'token-health']);
    const next = `${first}npm install social-publishing && npx tsx token-health.ts --help`;
    expect(json()).toEqual({ file: 'token-health.ts', next });
  });

  it('never overwrites a file', async () => {
    writeFileSync('token-health.ts', 'mine');
    const { code, err } = await runCommand(['new', 'token-health.ts']);
    expect([code, err]).toEqual([1, 'token-health.ts exists already. Nothing was written.\n']);
    expect(readFileSync('token-health.ts', 'utf8')).toBe('mine');
  });

  it('names the programs if there is no such program', async () => {
    const { code, err } = await runCommand(['new', '../../etc/passwd']);
    expect(code).toBe(2);
    expect(err).toContain(`The programs are ${names.join(', ')}. Longer examples, such as bullmq, are folders of `);
    expect(readdirSync('.')).toEqual([]);
  });
});
