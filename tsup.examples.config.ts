import { defineConfig } from 'tsup';

/** Examples import the built package by its name, as a caller would. */
export default defineConfig({
  entry: ['examples/*.ts', '!examples/*.test.ts'],
  outDir: 'dist-examples',
  format: 'esm',
  target: 'es2022',
  platform: 'node',
  external: [/^social-publishing/],
  clean: true,
});
