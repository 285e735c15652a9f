import type { KnownEventType } from '../../model/events.js';
import type { RequestFault } from './fault-kinds.js';

// What the emulator keeps of its traffic.

/** A request that came in. */
export interface RequestRecord {
  /** Counted: `request_1` is the first one. */
  readonly id: string;
  /** The HTTP method. */
  readonly method: string;
  /** The whole URL. */
  readonly url: string;
  /** The path with any base path, percent-encoded as it came. */
  readonly path: string;
  /** The operation's route. Missing: no operation of the API document. */
  readonly route?: string;
  /** The query; a parameter that was given more than once is an array. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The headers, their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text where it is none. Missing: there was no body. */
  readonly body?: unknown;
  /** When it came, by the emulator's clock. */
  readonly at: string;
  /** The faults that hit it. */
  readonly faults?: readonly RequestFault['kind'][];
  /** The status of the reply. Missing: no reply was sent. */
  readonly status?: number;
  /** The reply. Missing: no reply was sent. */
  readonly reply?: {
    /** The headers. */
    readonly headers: Readonly<Record<string, string>>;
    /** The first 4,096 characters of the body. */
    readonly body: string;
  };
}

/** One attempt at a delivery. */
export interface Delivery {
  /** Counted: `delivery_1` is the first one. One attempt that a fault sent twice has two. */
  readonly id: string;
  /** The subscription's ID. */
  readonly subscriptionId: string;
  /** The event's ID: the same in every attempt. */
  readonly eventId: string;
  /** The event's type. */
  readonly eventType: KnownEventType;
  /** 1 to 3. */
  readonly attempt: number;
  /** The delivery that `replay` sent again with it. Missing: the service sent it by itself. */
  readonly replayOf?: string;
  /** Where it was sent. */
  readonly url: string;
  /** When it was made, by the emulator's clock. */
  readonly at: string;
  /** Whether the receiver took it: a 2xx reply. */
  readonly ok: boolean;
  /** The receiver's status. Missing: no reply came. */
  readonly status?: number;
  /** Why it failed. */
  readonly error?: string;
  /** What was sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body that was sent: the event as JSON. */
  readonly body: string;
}
