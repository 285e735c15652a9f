import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';

/** The project that has installed the packed tarball. */
export const app = inject('app');

/** The folder of the installed package. */
export const installed = join(app, 'node_modules/social-publishing');

/** Every entry that code can import. */
export const entries = [
  'social-publishing',
  'social-publishing/webhooks',
  'social-publishing/publisher',
  'social-publishing/otel',
  'social-publishing/query',
  'social-publishing/tools',
  'social-publishing/mcp',
  'social-publishing/stores/sqlite',
  'social-publishing/stores/postgres',
  'social-publishing/stores/redis',
  'social-publishing/stores/testing',
  'social-publishing/schemas',
  'social-publishing/emulator',
  'social-publishing/emulator/node',
  'social-publishing/emulator/msw',
] as const;

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a program in the app, to its end. */
export function run(command: string, args: readonly string[], cwd = app): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, output: stdout + stderr });
    });
  });
}

export function write(path: string, text: string): string {
  const full = join(app, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
}

/** Runs a module in the app's Node and parses the JSON that it prints. Throws with its output where it fails. */
export async function evaluate(path: string, text: string): Promise<unknown> {
  const { code, output } = await run(process.execPath, [write(path, text)]);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output);
}
