import { signal } from '@preact/signals';
import { client } from '../../world/session.js';

/** The credits that this page's calls have cost, as counted by the client. */
export const creditsUsed = signal(0);

/** Makes a call that costs credits, and counts them. */
export async function paid<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } finally {
    creditsUsed.value = client().creditsUsed;
  }
}
