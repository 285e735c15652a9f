import { endpointAt, type Endpoint, type RetryClass, type SecretFields } from '../core/endpoint.js';
import { readReply, type ReplyReader } from './reply.js';
import { compilePath, type PathTemplate } from './url.js';

/** What is called. */
export interface CallTarget {
  /** Method and path template, as errors and hooks tell them. */
  readonly at: { readonly method: string; readonly route: string };
  readonly method: string;
  /** The path template. */
  readonly path: string;
  readonly template: PathTemplate;
  readonly retry: RetryClass;
  readonly costsCredit: boolean;
  /** Whether a call with this body may take minutes. */
  readonly isSlow: (body: unknown) => boolean;
  readonly rules: NonNullable<Endpoint['params']>;
  /** See `Endpoint`. */
  readonly carriedOut: Endpoint['carriedOut'];
  /** Where its secrets are. */
  readonly secrets: SecretFields;
  /** Where it isn't, the names of its fields must tell what is secret beside `secrets`. */
  readonly documented: boolean;
}

/** The same for an endpoint. */
export interface EndpointTarget<Reply> extends CallTarget {
  readonly reader: ReplyReader<Reply>;
}

const never = () => false;

const targets = new WeakMap<object, EndpointTarget<unknown>>();

/** What every call of an endpoint has in common, worked out once. */
export function targetOf<Query, Body, Reply>(endpoint: Endpoint<Query, Body, Reply>): EndpointTarget<Reply> {
  // What is kept for an endpoint was made from it.
  const known = targets.get(endpoint) as EndpointTarget<Reply> | undefined;
  if (known !== undefined) return known;
  const at = endpointAt(endpoint);
  const { method, route: path } = at;
  const target: EndpointTarget<Reply> = {
    at,
    method,
    path,
    template: compilePath(path),
    retry: endpoint.retry,
    costsCredit: endpoint.credits !== undefined,
    isSlow: endpoint.isSlow ?? never,
    rules: endpoint.params ?? {},
    carriedOut: endpoint.carriedOut,
    secrets: endpoint.secrets ?? {},
    documented: true,
    reader: readReply(endpoint),
  };
  targets.set(endpoint, target);
  return target;
}

/** The target of a route that a caller wrote. */
export function undocumentedTarget(
  method: string,
  path: string,
  facts: Pick<CallTarget, 'retry' | 'secrets'>,
  endpoint: Endpoint | undefined,
): CallTarget {
  const at = { method, route: path };
  return {
    ...facts,
    at,
    method,
    path,
    template: compilePath(path),
    // What a documented operation costs, and how long it takes, holds also when it is called by its route.
    costsCredit: endpoint?.credits !== undefined,
    isSlow: endpoint?.isSlow ?? never,
    carriedOut: endpoint?.carriedOut,
    rules: {},
    documented: false,
  };
}
