/** Bundles the simulator with the package's sources, and loads it with simulated globals. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { bundleName } from './coverage.js';
import { simulatedGlobals } from './globals.js';
import type { Simulator } from './simulator.js';
import type { PlantedBug } from './planted.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** @param bug is planted into the copy that is bundled. The sources stay as they are */
export async function loadSimulator(bug?: PlantedBug): Promise<Simulator> {
  return runBundle(await bundle({ bug }));
}

interface BundleOptions {
  readonly bug?: PlantedBug | undefined;
  /** The code ends with its source map. */
  readonly hasSourceMap?: boolean;
}

/** Returns the code of the simulator. */
export async function bundle({ bug, hasSourceMap = false }: BundleOptions): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${folder}simulator.ts`],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
    sourcemap: hasSourceMap ? 'inline' : false,
    // Node's compiler does not read comments.
    legalComments: 'none',
    plugins: bug === undefined ? [] : [planting(bug)],
  });
  return outputFiles[0]?.text ?? '';
}

/** @param options see `simulatedGlobals` */
export function runBundle(code: string, options: { readonly isCounting?: boolean } = {}): Simulator {
  const { host: _, names } = simulatedGlobals(options);
  const exported: { exports: Record<string, unknown> } = { exports: {} };
  const parameters = ['module', 'exports', 'require', ...Object.keys(names)];
  const run = compileFunction(code, parameters, { filename: bundleName }) as (...args: unknown[]) => void;
  run(exported, exported.exports, (name: string) => process.getBuiltinModule(name), ...Object.values(names));
  // The bundle's entry exports it.
  return exported.exports['simulator'] as Simulator;
}

/** Replaces texts while files are loaded. Each text must occur exactly once. */
function planting(bug: PlantedBug): Plugin {
  const patches = [bug, ...(bug.also ?? [])];
  const files = new Set(patches.map(({ file }) => `${root}${file}`));
  return {
    name: 'planted-bugs',
    setup(builder) {
      builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!files.has(path)) return undefined;
        let contents = readFileSync(path, 'utf8');
        for (const { file, find, replace } of patches) {
          if (`${root}${file}` !== path) continue;
          if (contents.split(find).length !== 2) throw new Error(`${file} does not contain exactly once: ${find}`);
          contents = contents.replace(find, () => replace);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
}
