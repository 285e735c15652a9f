import { verifyWebhook, WebhookVerificationError } from 'social-publishing/webhooks';
import type { Delivery } from './deliveries.js';

/** Verifies a delivery with its subscription's secret, at the time of its send. */
export async function judgeSignature(
  { body, headers, at }: Delivery,
  secret: string | undefined,
): Promise<{ readonly ok: boolean; readonly words: string }> {
  if (secret === undefined) return { ok: false, words: 'The secret of the subscription is unknown' };
  try {
    await verifyWebhook({ body, headers, secret, now: () => Date.parse(at) });
    return { ok: true, words: 'Signature valid' };
  } catch (error) {
    const why = error instanceof WebhookVerificationError ? error.code : String(error);
    return { ok: false, words: `Signature invalid (${why})` };
  }
}
