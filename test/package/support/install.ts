import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A separate project with the packed tarball installed. */
    app: string;
    /** The packed tarball. */
    tarball: string;
  }
}

const run = promisify(execFile);

/** Packs the current dist and installs the tarball into an empty project, with its peers and types. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = project.config.root;
  const app = await realpath(await mkdtemp(join(tmpdir(), 'social-publishing-app-')));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', app], { cwd: root });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  if (packed === undefined) throw new Error('npm pack told of no tarball');
  const tarball = resolve(app, packed.filename);

  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  await writeFile(
    join(app, 'package.json'),
    JSON.stringify({
      name: 'app',
      private: true,
      dependencies: { 'social-publishing': `file:${tarball}` },
      // The MCP server, msw and OpenTelemetry are optional peers; the types of emulator/node use Node's types.
      devDependencies: pick(manifest.devDependencies, [
        '@modelcontextprotocol/server',
        '@opentelemetry/api',
        '@types/node',
        'msw',
        'typescript',
      ]),
    }),
  );
  await run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: app });
  project.provide('app', app);
  project.provide('tarball', tarball);
  return () => rm(app, { recursive: true, force: true });
}

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
}

function pick(from: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const version = from[name];
      if (version === undefined) throw new Error(`${name} is no devDependency`);
      return [name, version];
    }),
  );
}
