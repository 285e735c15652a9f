import type { Endpoint } from '../../core/endpoint.js';
import type { Clock } from '../service/clock.js';
import type { Lifecycle } from '../service/lifecycle.js';
import type { Store } from '../service/store.js';

/** What a behaviour works on. */
export interface Service {
  readonly store: Store;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
}

/** A request that has passed the endpoint's own schemas. */
export interface Call<Query, Body> {
  /** A path parameter, decoded. */
  readonly param: (name: string) => string;
  /** The query with the documented defaults. */
  readonly query: Query;
  readonly body: Body;
  /** Query parameters that the API document doesn't show, each with its first value. */
  readonly extraQuery: Readonly<Record<string, string>>;
  /** Body fields that the API document doesn't show. */
  readonly extraBody: Readonly<Record<string, unknown>>;
  /** How long lists are to leave out what the request creates, in milliseconds of the clock. */
  readonly listingLagMs: number;
}

/** What an endpoint does: from a request to a reply. A refusal is thrown. */
export type Behaviour<E> =
  E extends Endpoint<infer Query, infer Body, infer Reply>
    ? (service: Service, call: Call<Query, Body>) => Reply
    : never;

/** One behaviour for each endpoint of a resource: a missing one does not compile. */
export type Behaviours<Endpoints> = { readonly [Name in keyof Endpoints]: Behaviour<Endpoints[Name]> };

/** A refusal of the service. The router gives it the error form of the operation. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
