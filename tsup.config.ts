import { defineConfig, type Options } from 'tsup';

const shared: Options = {
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  // Entries of one module system share chunks, so that a class is the same class in each of them.
  splitting: true,
  // Without rollup's pass over the CommonJS files, ky's default export is lost in them.
  treeshake: true,
  sourcemap: false,
  clean: false,
};

export default defineConfig([
  {
    ...shared,
    entry: {
      index: 'src/index.ts',
      webhooks: 'src/webhooks/index.ts',
      'webhooks/redis': 'src/webhooks/redis.ts',
      schemas: 'src/schemas.ts',
      emulator: 'src/emulator/index.ts',
      'emulator/node': 'src/emulator/node.ts',
      'emulator/msw': 'src/emulator/msw.ts',
    },
    outDir: 'dist',
    dts: true,
  },
]);
