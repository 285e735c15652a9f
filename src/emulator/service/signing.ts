import { signWebhook } from '../../webhooks/sign.js';
import type { StoredEvent } from './stored-records.js';

export interface SignedEvent {
  readonly second: number;
  readonly headers: Record<string, string>;
  readonly error?: string;
}

/** Returns the time in seconds, as signatures contain it. */
export function second(now: number): number {
  return Math.floor(now / 1000);
}

/** Signs an event. It never rejects: a failure to sign is a failed delivery. */
export async function signEvent({ body, id, type }: StoredEvent, secret: string, now: number): Promise<SignedEvent> {
  const at = second(now);
  const event = { 'X-Service-Event-Id': id, 'X-Service-Event-Type': type };
  try {
    return { second: at, headers: { ...(await signWebhook({ body, secret, timestamp: at })), ...event } };
  } catch (error) {
    return { second: at, headers: event, error: error instanceof Error ? error.message : 'not signed' };
  }
}

/**
 * Signing takes a random time. A batch is therefore signed completely before its deliveries start, so they start in
 * send order, whatever the receivers do afterwards.
 */
export class SigningOrder {
  #batch: Promise<SignedEvent>[] = [];
  #ready: Promise<void> = Promise.resolve();

  /** Resolves when this batch and all earlier ones are signed. */
  readyAfter(signing: Promise<SignedEvent>): Promise<void> {
    if (this.#batch.push(signing) === 1) {
      const before = this.#ready;
      this.#ready = Promise.resolve().then(async () => {
        const batch = this.#batch;
        this.#batch = [];
        await Promise.all([before, ...batch]);
      });
    }
    return this.#ready;
  }
}
