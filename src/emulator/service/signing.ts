import { signWebhook } from '../../webhooks/sign.js';
import type { StoredEvent } from './stored-records.js';

/** An event, signed at a second of the clock. */
export interface SignedEvent {
  readonly second: number;
  readonly headers: Record<string, string>;
  /** Why it could not be signed. */
  readonly error?: string;
}

/** A second of the clock, as signatures tell it. */
export function second(now: number): number {
  return Math.floor(now / 1000);
}

/** It never rejects: what can't be signed is a delivery that failed. */
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
 * Signing takes a time of chance. What is sent in one go is therefore signed as a whole before any of it starts, so that all
 * starts are in the order of the sends, whatever the receivers do afterwards.
 */
export class SigningOrder {
  #batch: Promise<SignedEvent>[] = [];
  #ready: Promise<void> = Promise.resolve();

  /** Resolves when all that is signed in one go with this, and before it, is. */
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
