import { createEmulator, type Emulator } from '../../../../src/emulator/index.js';
import { createControlApi } from '../../../../src/emulator/adapters/control/api.js';
import { guard } from '../../../../src/emulator/adapters/control/guard.js';
import { start } from '../../world.js';

/** A reply of the control API. */
export interface Told {
  readonly status: number;
  readonly body: unknown;
}

/** An emulator and its control API, called as a program in any language would call it. */
export function controlled(service: Emulator = createEmulator({ now: () => start, deliver: () => new Response() })) {
  const api = createControlApi(service, (request) => {
    guard(request, '127.0.0.1');
  });
  const send = async (route: string, body?: unknown): Promise<Told> => {
    const [method = '', path = ''] = route.split(' ', 2);
    const init =
      body === undefined ? { method } : { method, body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await api.fetch(new Request(`http://127.0.0.1:8787/_emulator${path}`, init));
    return { status: response.status, body: await response.json() };
  };
  return { service, api, send };
}
