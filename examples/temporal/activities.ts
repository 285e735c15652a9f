import type { IntentState } from 'social-publishing/publisher';
import { publisher } from './app.js';

/**
 * Sends the intent, searches for its post, or reads its state. Temporal runs it again after a timeout or a crash, even
 * while the first attempt still runs: then the state is `sending`. It rejects only for errors of the store. Errors of the
 * service are states of the intent.
 */
export async function resume(key: string): Promise<IntentState> {
  return (await publisher.resume(key)).state;
}
