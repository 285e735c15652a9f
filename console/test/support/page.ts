import { vi } from 'vitest';
import { openSession } from '../../src/world/session.js';
import { createControlApi } from '../../../src/emulator/adapters/control/api.js';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { eventually } from '../../../test/support/eventually.js';

const origin = 'http://localhost';
const accessKey = 'console-test-key';

/** Replaces the browser for the page's modules. The emulator runs in this process. */
export interface Ground {
  readonly service: Emulator;
  /** Every request of the page as `GET /path`, in order. */
  readonly asked: string[];
  /** Delays the replies to a path from now on. The returned function releases the first of them unchanged. */
  hold(path: string): () => Promise<void>;
}

/** Puts an emulator under the page's modules, and opens their session with it. */
export function standPage(now: number): Ground {
  const service = createEmulator({ accessKey, now: () => now });
  const control = createControlApi(service, () => undefined);
  const asked: string[] = [];
  const held = new Map<string, (() => void)[]>();
  vi.stubGlobal('location', { href: `${origin}/`, hash: '' });
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input instanceof Request ? input : new URL(input, `${origin}/`), init);
    const { pathname } = new URL(request.url);
    asked.push(`${request.method} ${pathname}`);
    const reply = await (pathname.startsWith('/_emulator/') ? control.fetch(request) : service.fetch(request));
    const waiting = held.get(pathname);
    if (waiting !== undefined) await new Promise<void>((resolve) => waiting.push(resolve));
    return reply;
  });
  openSession(accessKey);
  return {
    service,
    asked,
    hold(path) {
      const waiting: (() => void)[] = [];
      held.set(path, waiting);
      return async () => {
        await eventually(() => {
          if (waiting.length === 0) throw new Error('Nothing has asked for it yet.');
        });
        waiting.shift()?.();
      };
    },
  };
}
