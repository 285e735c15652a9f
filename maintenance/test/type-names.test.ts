import { expect, it } from 'vitest';
import { ambiguousTypeNames } from '../type-names.js';

const globals = new Set(['Window']);
const problems = (...codes: string[]) =>
  ambiguousTypeNames(new Map(codes.map((code, index) => [`src/${String(index)}.ts`, code])), globals);

it('refuses a type name with two meanings', () => {
  expect(problems('export interface Step {\n  a: 1;\n}\n', 'class Step {\n  b = 2;\n}\n')).toEqual([
    'Step is declared differently in src/0.ts, src/1.ts',
  ]);
  expect(problems('type Step = 1;\n', 'type Step = 2;\n')).toHaveLength(1);
  expect(problems('interface Window {\n  a: 1;\n}\n')).toEqual([
    'Window in src/0.ts is also a global type of browsers',
  ]);
});

it('accepts one meaning in several files, re-exports, and types inside functions', () => {
  expect(problems('type Step = 1;\n', 'export type Step = 1;\n')).toEqual([]);
  expect(problems('interface Step {\n  a: 1;\n}\n', "export type { Step } from './0.js';\n")).toEqual([]);
  expect(problems('type Step = 1;\n', 'function f() {\n  type Step = 2;\n}\n')).toEqual([]);
});
