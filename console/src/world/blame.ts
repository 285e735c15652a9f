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

/** Why an action failed. */
export interface ActionFailure {
  readonly words: string;
  /** Whether a rule of the view Faults caused it. The words say so. */
  readonly isByRule: boolean;
}

export async function explain(error: unknown): Promise<ActionFailure> {
  const words = wordsOf(error);
  const fault = await faultOf(error);
  if (fault === undefined) return { words, isByRule: false };
  return { words: `${words} ${wordsOfRule(fault)}`, isByRule: true };
}

/** The client cannot know whether the request was executed. The emulator does. */
function wordsOfRule(fault: string): string {
  const knows = 'The emulator knows more: a rule of Faults caused this';
  if (['status', 'reset_before', 'rate_limit'].includes(fault)) return `${knows}, and the request was not executed.`;
  if (['reset_after_commit', 'truncated_body', 'invalid_json'].includes(fault))
    return `${knows}, and the request was executed.`;
  return 'A rule of Faults caused this.';
}

/** Returns the kind of the fault that caused an error. */
async function faultOf(error: unknown): Promise<string | undefined> {
  if (!(error instanceof SocialPublishingError) || error.method === undefined) return undefined;
  try {
    const { requests } = await get<{ readonly requests: readonly RecordedRequest[] }>(`requests?limit=${searched}`);
    const failed = requests.findLast(({ method }) => method === error.method);
    return failed?.faults?.find((kind) => !harmless.includes(kind));
  } catch {
    return undefined;
  }
}
