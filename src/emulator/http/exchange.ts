/** What happens to a request on the wire. Adapters carry it out: `fetch`, a socket, a service worker. */
export type Exchange = WholeReply | CutReply | NoReply;

/** A reply that arrives whole. */
export interface WholeReply {
  /** A whole reply. */
  readonly kind: 'reply';
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body. */
  readonly body: string;
}

/** A reply that breaks off. */
export interface CutReply {
  /** A reply that breaks off. */
  readonly kind: 'cut';
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body. */
  readonly body: string;
  /** The part of the body that arrives. */
  readonly sent: string;
}

/** No reply. */
export interface NoReply {
  /** `reset`: the connection is reset. `silence`: no reply ever comes. */
  readonly kind: 'reset' | 'silence';
}
