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

/** A module that runs the smoke suite against the address in `process.env.BASE_URL` and prints its steps as JSON. */
export const smokeModule = `
import * as main from 'social-publishing';
import * as webhooks from 'social-publishing/webhooks';
import { smoke } from './smoke.mjs';
console.log(JSON.stringify(await smoke(main, webhooks, { baseUrl: process.env.BASE_URL, accessKey: '${accessKey}' })));
`;

/** Returns the steps of the smoke suite from its output. */
export function steps(printed: string): string {
  const done = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as string[];
  return done.join(', ');
}
