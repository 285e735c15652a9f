import type { KnownEventType } from '../../model/events.js';

// Types alone: whatever works with faults stands above the store, which holds them.

/**
 * Something that goes wrong with deliveries:
 *
 * - `duplicate`: the event is sent twice, the second time after the first one was answered.
 * - `concurrent`: the event is sent twice at the same time.
 * - `reorder`: the event is held back until the subscription's next event has been sent.
 * - `delay`: the event is sent `delayMs` later, by the emulator's clock.
 * - `timeout`: the attempt fails as if no reply came. The receiver isn't called, and no time passes.
 * - `lost`: the receiver isn't called, and no further attempt is made. `deliveries` has it with the error `lost`.
 * - `rotated_secret`: the attempt is signed with another secret than the subscription's, as after a rotation.
 */
export interface DeliveryFault {
  /** What happens to the delivery. */
  readonly kind: 'duplicate' | 'concurrent' | 'reorder' | 'delay' | 'timeout' | 'lost' | 'rotated_secret';
  /** Which events it hits. Default: all. */
  readonly eventType?: KnownEventType | undefined;
  /** Which subscription's. Default: all. */
  readonly subscriptionId?: string | undefined;
  /** How many attempts it hits before it is used up. Default: no end. */
  readonly times?: number | undefined;
  /** How likely it hits, 0 to 1. Default 1. */
  readonly probability?: number | undefined;
  /** For `delay`, in milliseconds. */
  readonly delayMs?: number | undefined;
  /** For `rotated_secret`: the secret to sign with. Default: one of its own, which no receiver knows. */
  readonly secret?: string | undefined;
}

/** Which requests a fault hits. */
export interface FaultScope {
  /** A route such as `POST /v1/posts/`, documented or not. Default: every request. */
  readonly route?: string | undefined;
  /** How many requests it hits before it is used up. Default: no end. */
  readonly times?: number | undefined;
  /** How likely it hits a request that it could hit, 0 to 1. Default 1. The choice comes from the emulator's `seed`. */
  readonly probability?: number | undefined;
}

/** Answers in place of the service, which does not carry the request out. */
export interface StatusFault extends FaultScope {
  /** The reply has another status. */
  readonly kind: 'status';
  /** 200 to 599. */
  readonly status: number;
  /** A string is sent as it is, anything else as JSON. Default: the operation's error form. */
  readonly body?: unknown;
  /** Headers of the reply. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Breaks the connection or the reply:
 *
 * - `reset_before`: the connection is reset, the request was not carried out.
 * - `reset_after_commit`: the request was carried out, then the connection is reset.
 * - `truncated_body`: it was carried out, and the connection breaks in the middle of the reply's body.
 * - `invalid_json`: it was carried out, and the reply ends well, but is no JSON.
 */
export interface BrokenFault extends FaultScope {
  /** What happens in place of a whole reply. */
  readonly kind: 'reset_before' | 'reset_after_commit' | 'truncated_body' | 'invalid_json';
}

/** Never answers. */
export interface TimeoutFault extends FaultScope {
  /** No reply ever comes. */
  readonly kind: 'timeout';
  /** Whether the request is carried out all the same. Default false. */
  readonly commit?: boolean | undefined;
}

/** Answers late. */
export interface LatencyFault extends FaultScope {
  /** The reply comes late. */
  readonly kind: 'latency';
  /** Real milliseconds before the request is carried out. */
  readonly latencyMs: number;
}

/** Lists created posts late. The create itself is answered as usual, or as another fault says. */
export interface ListingLagFault extends FaultScope {
  /** Created posts are listed late. */
  readonly kind: 'listing_lag';
  /** Milliseconds of the emulator's clock from a post's creation until lists show it. */
  readonly lagMs: number;
  /** Only creates have posts to list, so that the route can be `POST /v1/posts/` alone. Default: that one. */
  readonly route?: 'POST /v1/posts/' | undefined;
}

/** Refuses what comes too fast: 429, with `Retry-After: 1`. What is refused is not carried out, and does not count. */
export interface RateLimitFault extends FaultScope {
  /** Requests that come too fast are refused. */
  readonly kind: 'rate_limit';
  /** How many requests are taken in any second of real time: an integer of 1 or more. */
  readonly perSecond: number;
}

/** Something that goes wrong with requests. */
export type RequestFault = StatusFault | BrokenFault | TimeoutFault | LatencyFault | ListingLagFault | RateLimitFault;

/** Takes a fault back. */
export type RemoveFault = () => void;
