import { setupServer } from 'msw/node';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { emulatorHandlers } from '../../src/emulator/adapters/msw.js';
import type { Emulator } from '../../src/emulator/index.js';

/** A way of a client to an emulator. */
export interface Way {
  readonly fetch: typeof globalThis.fetch;
  readonly url: string;
  readonly close: () => Promise<void> | void;
}

/** msw puts its own in the place of `globalThis.fetch`: it is looked up at each call. */
const globalFetch: typeof globalThis.fetch = (...args) => globalThis.fetch(...args);

export function throughMsw(service: Emulator, baseUrl?: string): Way {
  const server = setupServer(...emulatorHandlers(service, baseUrl === undefined ? {} : { baseUrl }));
  server.listen({ onUnhandledRequest: 'error' });
  const close = () => {
    server.close();
  };
  return { fetch: globalFetch, url: baseUrl ?? 'https://emulator.test', close };
}

export const ways: Record<string, (service: Emulator) => Promise<Way> | Way> = {
  'service.fetch': ({ fetch }) => ({ fetch, url: 'https://emulator.test', close: () => {} }),
  'a socket': async (service) => {
    const served = await serveEmulator(service);
    return { fetch: globalFetch, url: served.url, close: () => served.close() };
  },
  msw: (service) => throughMsw(service),
};
