import { SocialPublishingError } from 'social-publishing';
import { wordsOf } from './words.js';
import { get } from './workbench.js';

interface RecordedRequest {
  readonly method: string;
  readonly faults?: readonly string[];
}

/** The number of the latest requests in which the failed one is looked up: other programs also send requests. */
const searched = 20;

/** These faults let the service answer. */
const harmless: readonly string[] = ['latency', 'listing_lag'];

/** Returns the message of a failed action. If a fault caused the failure, the message says so. */
export async function wordsOfAction(error: unknown): Promise<string> {
  const words = wordsOf(error);
  return (await isByFault(error)) ? `${words} A rule of the view Faults caused this.` : words;
}

async function isByFault(error: unknown): Promise<boolean> {
  if (!(error instanceof SocialPublishingError) || error.method === undefined) return false;
  try {
    const { requests } = await get<{ readonly requests: readonly RecordedRequest[] }>(`requests?limit=${searched}`);
    const failed = requests.findLast(({ method }) => method === error.method);
    return failed?.faults?.some((kind) => !harmless.includes(kind)) === true;
  } catch {
    return false;
  }
}
