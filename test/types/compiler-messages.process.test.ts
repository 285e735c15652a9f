import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { complaints, mistakes, program, type CompilerError } from '../support/compiler-messages.js';

// A compiler takes 2 seconds, and far more on a busy machine.
it('the compiler names the wrong field of each mistake once, in the first line', () => {
  const errors = compile(program);
  expect(complaints(errors)).toEqual([]);
  expect(new Set(errors.map(({ line }) => line)).size).toBe(mistakes.length);
});

/** Checks one file. The sources that it imports are read, not checked. */
function compile(text: string): CompilerError[] {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: ['test/a.ts'] }, ts.sys, '.');
  const host = ts.createCompilerHost(options);
  const name = resolve('test/mistakes.ts');
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, version, ...rest) =>
    file === name ? ts.createSourceFile(file, text, version) : read(file, version, ...rest);
  const program = ts.createProgram([name], { ...options, types: [] }, host);
  return program.getSemanticDiagnostics(program.getSourceFile(name)).map(({ file, start = 0, messageText }) => ({
    line: (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1,
    text: ts.flattenDiagnosticMessageText(messageText, '\n'),
  }));
}
