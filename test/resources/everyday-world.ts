import { SocialPublishing, type ClientOptions } from '../../src/index.js';
import type { Runtime } from '../../src/core/runtime.js';
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/index.js';

export const start = Date.parse('2026-03-02T09:00:00Z');

export interface EverydayWorld {
  readonly service: Emulator;
  readonly client: SocialPublishing;
  /** Every wait, in milliseconds: time passes at the service while the client waits, and takes none here. */
  readonly waits: number[];
  readonly lists: () => readonly Readonly<Record<string, string | readonly string[]>>[];
}

export function everydayWorld(options: EmulatorOptions = {}, clientOptions: ClientOptions = {}): EverydayWorld {
  const service = createEmulator({
    now: () => start,
    deliver: () => new Response(null, { status: 204 }),
    ...options,
  });
  const waits: number[] = [];
  let skipped = 0;
  const runtime: Partial<Runtime> = {
    now: () => service.clock.now(),
    monotonic: () => skipped,
    random: () => 0.5,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      skipped += ms;
      await service.clock.advance({ milliseconds: ms });
    },
  };
  const client = new SocialPublishing(
    { baseUrl: 'https://emulator.test', accessKey: 'test-key', fetch: service.fetch, ...clientOptions },
    runtime,
  );
  const lists = () => service.requests.filter(({ route }) => route === 'GET /v1/posts/').map(({ query }) => query);
  return { service, client, waits, lists };
}
