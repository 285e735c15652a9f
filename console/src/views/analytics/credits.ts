import { endedSentence } from '../../state/sentences.js';
import { signal } from '@preact/signals';
import { ApiError, SocialPublishingError } from 'social-publishing';
import { client } from '../../world/session.js';

/** The credits that this page's calls have cost, as counted by the client. */
export const creditsUsed = signal(0);

/** Makes a call that costs credits, and counts them. */
export async function paid<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof ApiError ? refusalOf(error) : error;
  } finally {
    creditsUsed.value = client().creditsUsed;
  }
}

/** Returns the refusal with the same text for each operation: the client's text says which ones may cost a credit. */
function refusalOf(error: ApiError): SocialPublishingError {
  const reason = reasonIn(error.body);
  const words = `The service answered with status ${error.status}${reason === undefined ? '.' : `: ${reason}`}`;
  return new SocialPublishingError(words, { method: error.method, route: error.route, cause: error });
}

function reasonIn(body: unknown): string | undefined {
  const { message, error }: { readonly message?: unknown; readonly error?: unknown } =
    typeof body === 'object' && body !== null ? body : {};
  const reason = message ?? error;
  if (typeof reason !== 'string' || reason === '') return undefined;
  return endedSentence(reason);
}
