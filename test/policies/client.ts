import type { Runtime } from '../../src/core/runtime.js';
import { SocialPublishing } from '../../src/client.js';
import type { ClientOptions } from '../../src/http/client-options.js';

export const testKey = 'sk-test-0123456789abcdef';

/** A client without real waits that records waits and hook payloads. */
export interface TestClient {
  readonly client: SocialPublishing;
  /** Every wait between attempts, in milliseconds. */
  readonly waits: number[];
  /** Attempts that were made, whether or not they reached a server. */
  readonly attempts: () => number;
  /** Lets time pass. */
  readonly pass: (ms: number) => void;
}

/** Time passes only by waits, so that deadlines see them. Real time does not count: it passes quickly on a busy machine. */
export function skippingTime(waits: number[]): Partial<Runtime> & Pick<TestClient, 'pass'> {
  let skipped = 0;
  return {
    now: () => Date.now() + skipped,
    monotonic: () => skipped,
    random: () => 0.5,
    pass: (ms) => {
      skipped += ms;
    },
    sleep: (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      skipped += ms;
      return Promise.resolve();
    },
  };
}

export function testClient(baseUrl: string, options: ClientOptions = {}, runtime: Partial<Runtime> = {}): TestClient {
  const waits: number[] = [];
  const { pass, ...time } = skippingTime(waits);
  let attempts = 0;
  const client = new SocialPublishing(
    {
      baseUrl,
      accessKey: testKey,
      timeoutMs: 600_000,
      totalTimeoutMs: 3_600_000,
      ...options,
      hooks: [
        {
          onRequest: () => {
            attempts += 1;
          },
        },
        ...[options.hooks].flat(),
      ],
    },
    { ...time, ...runtime },
  );
  return { client, waits, attempts: () => attempts, pass };
}

export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It did not reject.');
}
