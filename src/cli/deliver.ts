import { signWebhook } from '../webhooks/index.js';
import { messageOf } from './report-error.js';

/** The service waits this long for a receiver (API document: Delivery). */
const timeoutMs = 10_000;
/** The number of characters of a reply that a line shows. */
const shownReply = 200;

export interface Delivered {
  readonly ok: boolean;
  readonly status?: number;
  /** The start of the reply's body. */
  readonly reply?: string;
  /** The reason, if no reply came. */
  readonly error?: string;
}

/** Sends a signed body to a receiver. It never rejects. */
export async function deliver(url: URL, body: string, secret: string): Promise<Delivered> {
  const headers = await signWebhook({ body, secret });
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    const reply = (await response.text()).slice(0, shownReply);
    return { ok: response.ok, status: response.status, ...(reply === '' ? {} : { reply }) };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return { ok: false, error: messageOf(cause instanceof Error ? cause : error) };
  }
}
