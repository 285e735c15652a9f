import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { driverFolder, type PackageName } from '../../handles/folder.js';

/** More compiler options, and the files with the types of further modules. */
interface MoreOptions {
  readonly compilerOptions?: object;
  readonly paths?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Type-checks an example with the types of installed packages and the compiler options of this project. Throws with
 * the compiler's messages.
 */
export function checkTypes(example: string, packages: readonly PackageName[], more: MoreOptions = {}): void {
  const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as {
    compilerOptions: { paths: Record<string, readonly string[]> };
  };
  const own = Object.entries(compilerOptions.paths).map(([name, paths]) => [name, paths.map((path) => resolve(path))]);
  const paths = Object.fromEntries([...own, ...packages.map((name) => [name, [typesOf(name)]])]) as object;
  const config = {
    extends: resolve('tsconfig.json'),
    compilerOptions: {
      ...{ paths: { ...paths, ...more.paths }, typeRoots: [resolve('node_modules/@types')] },
      ...more.compilerOptions,
    },
    include: [`${resolve(`examples/${example}`)}/**/*`],
    exclude: [],
  };
  const file = join(driverFolder, `tsconfig.${example}.json`);
  writeFileSync(file, JSON.stringify(config, null, 2));
  const { status, stdout, stderr } = spawnSync('npx', ['tsc', '-p', file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`examples/${example}: ${stdout}${stderr}`);
}

/** The file with the types of a package, in the package or in the one of DefinitelyTyped. */
function typesOf(name: PackageName): string {
  const typed = join(driverFolder, 'node_modules/@types', name);
  const folder = existsSync(typed) ? typed : join(driverFolder, 'node_modules', name);
  const { types } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { types: string };
  return join(folder, types);
}
