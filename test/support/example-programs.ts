import { readdirSync } from 'node:fs';

/** The programs of `examples`, without their tests and packages: paths from the root. */
export function examplePrograms(): string[] {
  return readdirSync('examples', { recursive: true, encoding: 'utf8' })
    .map((name) => `examples/${name.replaceAll('\\', '/')}`)
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path) && !/^examples\/(?:node_modules|\.tmp|test)\//.test(path))
    .sort();
}
