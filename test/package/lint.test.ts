import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { installed, run } from './support/app.js';

const bin = (name: string) => join(import.meta.dirname, '../../maintenance/node_modules/.bin', name);

it('has types that resolve in every module system (attw)', async () => {
  const { code, output } = await run(bin('attw'), [inject('tarball'), '--format', 'ascii', '--no-emoji']);
  expect(code, output).toBe(0);
});

it('finds no problem in its manifest (publint --strict)', async () => {
  const { code, output } = await run(bin('publint'), [installed, '--strict']);
  expect(code, output).toBe(0);
  expect(output).toContain('All good!');
});
