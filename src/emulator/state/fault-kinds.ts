import type { KnownEventType } from '../../model/events.js';
import type { PointInTime } from './time.js';

// Only types: code that handles faults depends on the store, which contains them.

/**
 * A fault of deliveries:
 *
 * - `duplicate`: the event is sent twice, the second time after the first one was answered.
 * - `concurrent`: the event is sent twice at the same time.
 * - `reorder`: the event is held back until the subscription's next event has been sent.
 * - `delay`: the event is sent `delayMs` later, by the emulator's clock.
 * - `timeout`: the attempt fails as if no reply came. The receiver isn't called, and no time passes.
 * - `lost`: the receiver isn't called, and no further attempt is made. `deliveries` contains it with the error `lost`.
 * - `rotated_secret`: the attempt is signed with another secret than the subscription's, as after a rotation.
 */
export interface DeliveryFault {
  /** The effect on the delivery. */
  readonly kind: 'duplicate' | 'concurrent' | 'reorder' | 'delay' | 'timeout' | 'lost' | 'rotated_secret';
  /** Only events of this type. Default: all. */
  readonly eventType?: KnownEventType | undefined;
  /** Only events of this subscription. Default: all. */
  readonly subscriptionId?: string | undefined;
  /** The number of attempts until it is used up. Default: no limit. */
  readonly times?: number | undefined;
  /** The probability that it applies, 0 to 1. Default 1. */
  readonly probability?: number | undefined;
  /** For `delay`, in milliseconds. */
  readonly delayMs?: number | undefined;
  /** For `rotated_secret`: the secret to sign with. Default: a secret that no receiver knows. */
  readonly secret?: string | undefined;
}

/** The requests that a fault applies to. */
export interface FaultScope {
  /**
   * A route such as `POST /v1/posts/`, documented or not; or only a method such as `GET`, for every path. Default: every
   * request.
   */
  readonly route?: string | undefined;
  /** The number of requests until it is used up. Default: no limit. */
  readonly times?: number | undefined;
  /**
   * The probability that it applies to a matching request, 0 to 1. Default 1. The choice comes from the emulator's
   * `seed`.
   */
  readonly probability?: number | undefined;
}

/** Replies in place of the service, which does not execute the request. */
export interface StatusFault extends FaultScope {
  /** The reply has another status. */
  readonly kind: 'status';
  /** 200 to 599. */
  readonly status: number;
  /** A string is sent unchanged, any other value as JSON. Default: the operation's error form. */
  readonly body?: unknown;
  /** Headers of the reply. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Breaks the connection or the reply:
 *
 * - `reset_before`: the connection is reset, the request was not executed.
 * - `reset_after_commit`: the request was executed, then the connection is reset.
 * - `truncated_body`: the request was executed, and the connection breaks in the middle of the reply's body.
 * - `invalid_json`: the request was executed, and the reply is complete but not JSON.
 */
export interface BrokenFault extends FaultScope {
  /** The kind of failure. */
  readonly kind: 'reset_before' | 'reset_after_commit' | 'truncated_body' | 'invalid_json';
}

/** Never replies. */
export interface TimeoutFault extends FaultScope {
  /** There is no reply. */
  readonly kind: 'timeout';
  /** Whether the request is executed anyway. Default false. */
  readonly commit?: boolean | undefined;
}

/** Replies late. */
export interface LatencyFault extends FaultScope {
  /** The reply is late. */
  readonly kind: 'latency';
  /** Real milliseconds before the request is executed. */
  readonly latencyMs: number;
}

/** Lists created posts late. The create itself is answered as usual, or by another fault. */
export interface ListingLagFault extends FaultScope {
  /** Created posts are listed late. */
  readonly kind: 'listing_lag';
  /** Milliseconds of the emulator's clock from a post's creation until lists show it. */
  readonly lagMs: number;
  /** Only creates have posts to list, so the route can only be `POST /v1/posts/`, the default. */
  readonly route?: 'POST /v1/posts/' | undefined;
}

/** Refuses requests above a rate: 429, with `Retry-After: 1`. Refused requests are not executed and do not count. */
export interface RateLimitFault extends FaultScope {
  /** Requests above the rate are refused. */
  readonly kind: 'rate_limit';
  /** The number of requests accepted in any second of real time: an integer of 1 or more. */
  readonly perSecond: number;
}

/**
 * The service is down from one time of the emulator's clock to another:
 *
 * - `unavailable`: 503, the request was not executed.
 * - `unavailable_after_commit`: the request was executed, then 503.
 * - `refused`: the connection is refused, the request was not sent. With `serveEmulator`, msw and `emulatorRoute`, the
 *   connection is reset instead: a server cannot refuse a connection that it has accepted.
 */
export interface OutageFault extends FaultScope {
  /** The service is down. */
  readonly kind: 'outage';
  /** The effect on a request. */
  readonly effect: 'unavailable' | 'unavailable_after_commit' | 'refused';
  /** When it begins. Default: now. */
  readonly from?: PointInTime | undefined;
  /** When it ends. Default: when you remove the fault. */
  readonly until?: PointInTime | undefined;
}

/** A fault of requests. */
export type RequestFault =
  StatusFault | BrokenFault | TimeoutFault | LatencyFault | ListingLagFault | RateLimitFault | OutageFault;

/** Removes a fault. */
export type RemoveFault = () => void;
