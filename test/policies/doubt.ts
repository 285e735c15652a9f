import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/index.js';
import type { Runtime } from '../../src/core/runtime.js';
import type { ClientOptions } from '../../src/http/client-options.js';
import { SocialPublishing } from '../../src/client.js';
import type { CreatePostBody } from '../../src/posts/posts.js';
import { newGate } from '../support/gate.js';
import { rejection, skippingTime, testKey } from './client.js';

/** An emulator whose replies can be lost or held back, and a client of it whose waits take no time. */
export interface DoubtWorld {
  readonly service: Emulator;
  readonly client: SocialPublishing;
  readonly waits: number[];
  /** The body of a create. The same text creates an equal body. */
  readonly body: (content?: string) => CreatePostBody;
  /** Creates a post whose reply is lost after its execution (`reset_before`: also before). */
  readonly lostCreate: (body?: CreatePostBody, kind?: 'reset_after_commit' | 'reset_before') => Promise<unknown>;
  /** Creates a post and aborts before its reply. The create was executed when this resolves. */
  readonly heldCreate: (body?: CreatePostBody) => Promise<{ reply: Promise<{ postId: string }>; release: () => void }>;
  /** Another program's post, of which the client knows nothing. */
  readonly othersCreate: (body?: CreatePostBody) => Promise<string>;
  /** Changes the behaviour of the client's fetch. */
  readonly intercept: (wrap: (send: typeof fetch) => typeof fetch) => void;
}

export function doubtWorld(
  emulator: EmulatorOptions = {},
  options: ClientOptions = {},
  runtime: Partial<Runtime> = {},
): DoubtWorld {
  const service = createEmulator({ accessKey: testKey, ...emulator });
  const { id } = service.seed.integration({ platform: 'bluesky' });
  let send: typeof fetch = service.fetch;
  const waits: number[] = [];
  const common = { baseUrl: 'https://emulator.test', accessKey: testKey, maxRetries: 0 };
  const client = new SocialPublishing(
    { ...common, fetch: (input, init) => send(input, init), ...options },
    { ...skippingTime(waits), ...runtime },
  );
  const other = new SocialPublishing({ ...common, fetch: service.fetch });
  const body = (content = 'Hello'): CreatePostBody => ({
    content,
    platforms: [{ platform: 'bluesky', accountId: id }],
    scheduledFor: new Date(service.clock.now() + 30 * 86_400_000).toISOString().replace(/:\d\d\..*/, ':00Z'),
  });
  return {
    service,
    client,
    waits,
    body,
    lostCreate: (what = body(), kind = 'reset_after_commit') => {
      service.faults.add({ route: 'POST /v1/posts/', times: 1, kind });
      return rejection(client.posts.create(what));
    },
    heldCreate: async (what = body()) => {
      const [held, executed] = [newGate(), newGate()];
      const before = send;
      send = async (input, init) => {
        send = before;
        const response = await service.fetch(input, init);
        executed.open();
        await held.opened;
        return response;
      };
      const reply = client.posts.create(what);
      reply.catch(() => undefined);
      await executed.opened;
      return { reply, release: held.open };
    },
    othersCreate: async (what = body()) => (await other.posts.create(what)).postId,
    intercept: (wrap) => {
      send = wrap(send);
    },
  };
}

export function isList(input: unknown, init?: RequestInit): boolean {
  return input instanceof Request ? input.method === 'GET' : (init?.method ?? 'GET') === 'GET';
}
