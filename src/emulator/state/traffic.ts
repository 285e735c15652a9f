import type { KnownEventType } from '../../model/events.js';
import type { RequestFault } from './fault-kinds.js';

// The recorded traffic of the emulator.

/** The number of characters of a reply that its record holds. */
export const keptOfReply = 4096;

/** Returns the start of a reply, for its record. It is a copy, because a slice would keep the whole text in memory. */
export function startOfText(text: string): string {
  return structuredClone(text.slice(0, keptOfReply));
}

/** A received request. */
export interface RequestRecord {
  /** Counted: `request_1` is the first one. */
  readonly id: string;
  /** The HTTP method. */
  readonly method: string;
  /** The whole URL. */
  readonly url: string;
  /** The path with any base path, percent-encoded as received. */
  readonly path: string;
  /** The operation's route. Missing: not an operation of the API document. */
  readonly route?: string;
  /** The query; a repeated parameter is an array. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text if it isn't JSON. Missing: there was no body. */
  readonly body?: unknown;
  /** The time of arrival, by the emulator's clock. */
  readonly at: string;
  /** The faults that applied. */
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

/** One delivery attempt. */
export interface Delivery {
  /** Counted: `delivery_1` is the first one. An attempt that a fault sent twice has two records. */
  readonly id: string;
  /** The subscription's ID. */
  readonly subscriptionId: string;
  /** The event's ID: the same in every attempt. */
  readonly eventId: string;
  /** The event's type. */
  readonly eventType: KnownEventType;
  /** 1 to 3. */
  readonly attempt: number;
  /** The delivery that `replay` repeated. Missing: not a replay. */
  readonly replayOf?: string;
  /** The receiver's URL. */
  readonly url: string;
  /** The time of the attempt, by the emulator's clock. */
  readonly at: string;
  /** Whether the receiver accepted it: a 2xx reply. */
  readonly ok: boolean;
  /** The status of the receiver's reply. Missing: there was no reply. */
  readonly status?: number;
  /** Why it failed. */
  readonly error?: string;
  /** When the next attempt is due, by the emulator's clock. Missing: no attempt follows. */
  readonly retryAt?: string;
  /** The first 4,096 characters of the receiver's reply. Missing: there was no reply, or it was empty. */
  readonly reply?: string;
  /**
   * How long the receiver took until its status, in milliseconds of real time. Missing: nothing was sent over the
   * network.
   */
  readonly latencyMs?: number;
  /** The headers that were sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body that was sent: the event as JSON. */
  readonly body: string;
}

const secretHeaders: ReadonlySet<string> = new Set(['x-access-key', 'authorization', 'proxy-authorization', 'cookie']);

/** Returns a request as a state or the control API may show it. Any key may be a real one: the command takes its key from the environment. */
export function shownRequest(record: RequestRecord): RequestRecord {
  // A stored state may lack them, because its owner may have removed them.
  const { headers = {} } = record as Partial<RequestRecord>;
  if (!Object.keys(headers).some((name) => secretHeaders.has(name))) return record;
  const shown = Object.entries(headers).map(
    ([name, value]) => [name, secretHeaders.has(name) ? '***' : value] as const,
  );
  return { ...record, headers: Object.fromEntries(shown) };
}
