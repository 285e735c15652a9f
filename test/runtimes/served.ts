import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as emulator from '../../src/emulator/index.js';
import type * as node from '../../src/emulator/adapters/node.js';
import type { App } from './app.js';

export const accessKey = 'test-key';

/** Runs something while the installed package's emulator answers on loopback. */
export async function whileServed<T>(app: App, use: (baseUrl: string) => Promise<T>): Promise<T> {
  const load = (entry: string) =>
    import(pathToFileURL(join(app.installed, `dist/${entry}.js`)).href) as Promise<unknown>;
  const { createEmulator } = (await load('emulator')) as typeof emulator;
  const { serveEmulator } = (await load('emulator/node')) as typeof node;
  const served = await serveEmulator(createEmulator({ accessKey }));
  try {
    return await use(served.url);
  } finally {
    await served.close();
  }
}

/** A program of this folder: its default export gets the options of the client and returns JSON. */
export type Program = 'smoke' | 'border-program';

/** A module that runs a program against the address in `process.env.BASE_URL` and prints its result as JSON. */
export const starterOf = (program: Program): string => `
import run from './${program}.mjs';
console.log(JSON.stringify(await run({ baseUrl: process.env.BASE_URL, accessKey: '${accessKey}' })));
`;

/** Returns the last line of an output. */
export function lastLine(printed: string): string {
  return printed.trim().split('\n').at(-1) ?? '';
}

/** Returns the steps of the smoke suite from its output. */
export function steps(printed: string): string {
  return (JSON.parse(lastLine(printed)) as string[]).join(', ');
}
