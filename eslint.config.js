import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Forbids imports whose path matches a pattern, each with the reason. */
const forbid = (...patterns) => ['error', { patterns: patterns.map(([regex, message]) => ({ regex, message })) }];

const client = ['/client\\.js$', 'Only index.ts imports the client.'];
const ky = ['^ky($|/)', 'Only transport.ts knows ky.'];
const wholeZod = ['^zod(?!/mini$)', "Import * as z from 'zod/mini': the rest of zod would end in every bundle."];
const msw = ['^msw($|/)', 'Only emulator/adapters/msw.ts loads msw.'];
const node = ['^node:', 'This entry runs where there is no Node.'];
const webhooks = ['/webhooks/', 'Webhooks stand above this file.'];
const emulator = ['/emulator/', 'Nothing outside the emulator imports it.'];
const resources = ['/resources/', 'Resources stand above this file.'];
const transport = ['/transport\\.js$', 'Take the narrow Transport of endpoint.ts.'];

/** Directions of imports between the parts of src. test/imports.test.ts checks the whole graph. */
const directions = [
  {
    files: ['src/{core,model,schema,http,pagination}/**'],
    ignores: ['src/http/transport.ts'],
    rules: forbid(client, ky, wholeZod, msw, node, webhooks, emulator, resources),
  },
  { files: ['src/http/transport.ts'], rules: forbid(client, wholeZod, msw, node, webhooks, emulator, resources) },
  { files: ['src/client.ts'], rules: forbid(ky, wholeZod, msw, node, webhooks, emulator) },
  { files: ['src/index.ts', 'src/schemas.ts'], rules: forbid(ky, wholeZod, msw, node, emulator) },
  { files: ['src/resources/**'], rules: forbid(client, transport, ky, wholeZod, msw, node, webhooks, emulator) },
  {
    files: ['src/stores/**'],
    rules: forbid(client, transport, ky, wholeZod, msw, node, webhooks, emulator, resources),
  },
  { files: ['src/webhooks/**'], rules: forbid(client, transport, ky, wholeZod, msw, node, emulator) },
  {
    files: ['src/emulator/**'],
    ignores: ['src/emulator/adapters/*.ts'],
    rules: forbid(client, transport, ky, wholeZod, msw, node),
  },
  { files: ['src/emulator/adapters/{node,cli}.ts'], rules: forbid(client, transport, ky, wholeZod, msw) },
  { files: ['src/emulator/adapters/msw.ts'], rules: forbid(client, transport, ky, wholeZod, node) },
].map(({ rules, ...where }) => ({ ...where, rules: { 'no-restricted-imports': rules } }));

export default defineConfig(
  globalIgnores(['dist/', 'dist-examples/', 'site/', 'coverage/', '.tmp/']),
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      // `${count}` of a number says what it means; objects and undefined stay refused.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  ...directions,
  {
    files: ['test/**', 'examples/**', 'bench/**'],
    rules: {
      // Tests hand over async functions where any function will do, and define small empty ones.
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
);
