import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['dist/', 'site/', 'coverage/', '.tmp/']),
  {
    files: ['**/*.ts', '**/*.tsx'],
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
  {
    files: ['src/**'],
    // A published suite: its functions are lists of tests, each of which is short.
    ignores: ['src/stores/testing/**'],
    rules: {
      // A function fits a screen.
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/core/runtime.ts', 'src/emulator/**', 'src/console/**'],
    rules: {
      // A simulator replaces all randomness in one place.
      'no-restricted-properties': [
        'error',
        ...[
          ['Math', 'random'],
          ['crypto', 'randomUUID'],
          ['crypto', 'getRandomValues'],
        ].map(([object, property]) => ({ object, property, message: 'Use defaultRuntime of core/runtime.ts.' })),
      ],
    },
  },
  {
    files: ['test/**', 'examples/**', 'bench/**'],
    rules: {
      // Tests hand over async functions where any function will do, and define small empty ones.
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
);
