import { SocialPublishing, type SocialPublishing as Client } from '../../src/client.js';
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/index.js';

/** When the emulators of these tests start. */
export const start = Date.parse('2026-03-02T09:00:00Z');

export interface World {
  readonly service: Emulator;
  readonly client: Client;
  /** An integration on each of these platforms. */
  readonly instagram: string;
  readonly facebook: string;
  readonly tiktok: string;
  /** The account on TikTok, as the targets of a post. */
  readonly platforms: readonly [{ readonly platform: 'tiktok'; readonly accountId: string }];
}

/** An emulator with three accounts, and the real client on it. Failed calls are not sent again, so that nothing waits. */
export function world(options: EmulatorOptions = {}): World {
  const service = createEmulator({ now: () => start, deliver: () => new Response(null, { status: 204 }), ...options });
  const seeded = accounts(service);
  const platforms = [{ platform: 'tiktok', accountId: seeded.tiktok }] as const;
  return { service, client: clientOf(service.fetch), ...seeded, platforms };
}

export function accounts(service: Emulator) {
  return {
    instagram: service.seed.integration({ platform: 'instagram', username: 'acme' }).id,
    facebook: service.seed.integration({ platform: 'facebook', username: 'acme' }).id,
    tiktok: service.seed.integration({ platform: 'tiktok', username: 'acme' }).id,
  };
}

export function clientOf(fetch: typeof globalThis.fetch, baseUrl = 'https://emulator.test'): Client {
  return new SocialPublishing({ baseUrl, accessKey: 'test-key', fetch, maxRetries: 0, strictResponses: true });
}

/** A request as a program in another language would send it. */
export async function raw(
  service: Emulator,
  route: string,
  body?: unknown,
  headers: Record<string, string> = { 'x-access-key': 'test-key' },
): Promise<{ status: number; body: unknown }> {
  const [method = '', path = ''] = route.split(' ', 2);
  const init = {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
  const response = await service.fetch(`https://emulator.test${path}`, init);
  return { status: response.status, body: await response.json() };
}
