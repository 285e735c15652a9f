import { readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';

/** The used part of rollup's interface. */
interface Rollup {
  readonly rollup: (
    options: object,
  ) => Promise<{ write(options: object): Promise<{ output: readonly { fileName: string }[] }> }>;
}

interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

// The version that tsup contains and package.json pins.
const { rollup } = createRequire(createRequire(import.meta.url).resolve('tsup'))('rollup') as Rollup;

/**
 * The shared files of `dist`, each with an entry. A file takes all chunks that its entry loads and the files before it
 * don't contain. The entries without a row follow, each with a file of its own.
 */
const files = [
  // The code of light entries, including the webhook receiver.
  ['base', 'webhooks'],
  // The version.
  ['base', 'otel'],
  ['stores', 'stores/postgres'],
  // zod, schemas, resources.
  ['api', 'index'],
  // The part of the emulator that msw needs.
  ['answer', 'emulator/msw'],
] as const;

/**
 * Merges the chunks of the ES modules in a folder, and writes the same files as CommonJS. esbuild cuts a chunk for each
 * set of entries that share it. Node needs longer to find and read a file than to read ten times its text: the import of
 * the main entry takes 18 ms of processor time with esbuild's chunks, and 11 ms with these.
 */
export async function mergeChunks(folder: string, entries: readonly string[], external: readonly (string | RegExp)[]) {
  const pathOf = (entry: string) => resolve(folder, `${entry}.js`);
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [entry, pathOf(entry)])),
    external,
    // esbuild has removed unused code; the package has no side effects.
    treeshake: { moduleSideEffects: false },
    onLog: (_level: string, { message }: { readonly message: string }) => {
      throw new Error(message);
    },
  });
  const manualChunks = (id: string, modules: Modules) => {
    if (!isChunk(id)) return undefined;
    const others = entries.map((entry) => [entry.replace('/', '-'), entry] as const);
    return [...files, ...others].find(([, entry]) => closure(modules, pathOf(entry)).has(id))?.[0];
  };
  const written = new Set<string>();
  for (const [format, extension] of [
    ['es', 'js'],
    ['cjs', 'cjs'],
  ] as const) {
    const { output } = await bundle.write({
      dir: folder,
      format,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `chunk-[name].${extension}`,
      manualChunks,
      onlyExplicitManualChunks: true,
      minifyInternalExports: false,
      hoistTransitiveImports: false,
      exports: 'named',
      // An import() of a CommonJS file would put all its exports under `default`.
      dynamicImportInCjs: false,
    });
    for (const { fileName } of output) written.add(fileName);
  }
  for (const file of await readdir(folder)) {
    if (isChunk(file) && !written.has(file)) await rm(join(folder, file));
  }
}

function isChunk(path: string): boolean {
  return /^chunk-.*\.c?js$/.test(basename(path));
}

function closure(modules: Modules, id: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(id)) return seen;
  seen.add(id);
  for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) closure(modules, imported, seen);
  return seen;
}
