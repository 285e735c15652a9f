import type { Endpoint } from '../../core/endpoint.js';
import type { Clock } from '../service/clock.js';
import type { Events } from '../service/events.js';
import type { Lifecycle } from '../service/lifecycle.js';
import type { Store } from '../service/store.js';

export interface Service {
  readonly store: Store;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  readonly events: Events;
}

/** A request that has passed the endpoint's schemas. */
export interface Call<Query, Body> {
  readonly param: (name: string) => string;
  /** The query with the documented defaults. */
  readonly query: Query;
  readonly body: Body;
  /** Query parameters that the API document doesn't show, each with its first value. */
  readonly extraQuery: Readonly<Record<string, string>>;
  /** Body fields that the API document doesn't show. */
  readonly extraBody: Readonly<Record<string, unknown>>;
  /** How long lists omit the created posts, in milliseconds of the clock. */
  readonly listingLagMs: number;
}

/** The behaviour of an endpoint: from a request to a reply. It throws errors as `ErrorReply`. */
export type Handler<E> =
  E extends Endpoint<infer Query, infer Body, infer Reply>
    ? (service: Service, call: Call<Query, Body>) => Reply
    : never;

/** One handler for each endpoint of a resource: a missing one does not compile. */
export type Handlers<Endpoints> = { readonly [Name in keyof Endpoints]: Handler<Endpoints[Name]> };
