import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A project outside of this one that has installed the packed tarball. */
export interface App {
  readonly folder: string;
  /** Where the installed package is. */
  readonly installed: string;
  /** Writes a file and gives back its path. */
  write(path: string, text: string): string;
  /** Installs packages of exact versions, beside the tarball. */
  install(...packages: readonly string[]): Promise<void>;
  close(): void;
}

/** One thing to run somewhere. */
export interface Check {
  /** How it is chosen on the command line. */
  readonly id: string;
  /** Where it runs. */
  readonly where: string;
  /** What is run there. */
  readonly what: string;
  /** Resolves to the version of what it ran on and what came out. Rejects where that is not good. */
  run(app: App): Promise<Outcome>;
}

export interface Outcome {
  readonly version: string;
  readonly result: string;
}

/** Packs dist as it stands and installs it into an empty project. */
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
  copyFileSync('scripts/runtimes/smoke.mjs', join(folder, 'smoke.mjs'));
  return app;
}

/** Runs a program to its end and resolves to what it printed. Rejects with all of it where it fails. */
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

/** The path of a program that an npm package brings, installed into npm's cache where it isn't there yet. */
export async function program(pkg: string, name: string): Promise<string> {
  return (await run('npx', ['-y', '-p', pkg, '-c', `which ${name}`], tmpdir())).trim();
}
