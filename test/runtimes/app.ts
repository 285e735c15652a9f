import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A separate project with the packed tarball installed. */
export interface App {
  readonly folder: string;
  /** The folder of the installed package. */
  readonly installed: string;
  /** Writes a file and returns its path. */
  write(path: string, text: string): string;
  /** Installs packages of exact versions, in addition to the tarball. */
  install(...packages: readonly string[]): Promise<void>;
  close(): void;
}

/** A check on a runtime. */
export interface Check {
  /** Its name on the command line. */
  readonly id: string;
  /** The runtime. */
  readonly where: string;
  /** The code that runs there. */
  readonly what: string;
  /** Resolves to the version of the runtime and the result. Rejects if the check fails. */
  run(app: App): Promise<Outcome>;
}

export interface Outcome {
  readonly version: string;
  readonly result: string;
  /** Fails the script although there is a result. */
  readonly failure?: string;
}

/** Packs the current dist and installs it into an empty project. */
export async function createApp(): Promise<App> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'social-publishing-runtimes-')));
  const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], process.cwd());
  const [{ filename } = { filename: '' }] = JSON.parse(packed) as { filename: string }[];
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true }));
  const app: App = {
    folder,
    installed: join(folder, 'node_modules/social-publishing'),
    write: (path, text) => {
      const full = join(folder, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      return full;
    },
    install: async (...packages) => {
      await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], folder);
    },
    close: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await app.install(`./${filename}`);
  for (const program of ['smoke.mjs', 'border-program.mjs'])
    copyFileSync(`test/runtimes/${program}`, join(folder, program));
  return app;
}

/** Runs a program to its end and resolves to its output. Rejects with the whole output if it fails. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024, timeout: 300_000 };
    execFile(command, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')}: ${error.message}\n${stdout}\n${stderr}`));
    });
  });
}

/** Returns the path of a program in an npm package, and installs it into npm's cache if necessary. */
export async function program(pkg: string, name: string): Promise<string> {
  return (await run('npx', ['-y', '-p', pkg, '-c', `which ${name}`], tmpdir())).trim();
}
