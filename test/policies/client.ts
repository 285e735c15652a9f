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
}

/** The clock runs on by each wait, so that deadlines see it. */
export function skippingTime(waits: number[]): Partial<Runtime> {
  let skipped = 0;
  return {
    now: () => Date.now() + skipped,
    monotonic: () => performance.now() + skipped,
    random: () => 0.5,
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
  let attempts = 0;
  const client = new SocialPublishing(
    {
      baseUrl,
      accessKey: testKey,
      timeoutMs: 5_000,
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
    { ...skippingTime(waits), ...runtime },
  );
  return { client, waits, attempts: () => attempts };
}

export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It did not reject.');
}
