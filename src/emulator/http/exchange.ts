/** The exchange of a request on the wire. Adapters perform it: `fetch`, a socket, a service worker. */
export type Exchange = WholeReply | CutReply | NoReply;

/** A reply that arrives complete. */
export interface WholeReply {
  /** The kind of exchange. */
  readonly kind: 'reply';
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The complete body. */
  readonly body: string;
}

/** A reply that breaks off. */
export interface CutReply {
  /** The kind of exchange. */
  readonly kind: 'cut';
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The complete body. */
  readonly body: string;
  /** The part of the body that arrives. */
  readonly sent: string;
}

/** No reply. */
export interface NoReply {
  /** `reset`: the connection is reset. `silence`: no reply ever comes. */
  readonly kind: 'reset' | 'silence';
}
