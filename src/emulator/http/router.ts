import type { Endpoint, ObjectSchema } from '../../core/endpoint.js';
import { ErrorReply } from '../handlers/error-reply.js';
import type { Service } from '../handlers/handler.js';
import type { IncomingRequest } from './incoming-request.js';
import { allOperations, type ServedOperation } from './operations.js';
import { readCall } from './read-call.js';
import { checkReply } from './reply-check.js';
import { matchRoute, servicePath } from './route.js';

export interface ServiceReply {
  readonly status: number;
  readonly body: unknown;
}

export interface RouterOptions {
  readonly accessKeys: readonly string[] | null;
  readonly selectionNeedsKey: boolean;
}

/** Answers requests: checks the key and the request, calls the handler, and checks the reply. */
export class Router {
  readonly #service: Service;
  readonly #options: RouterOptions;
  readonly #operations: readonly ServedOperation[] = allOperations();

  constructor(service: Service, options: RouterOptions) {
    this.#service = service;
    this.#options = options;
  }

  get routes(): string[] {
    return this.#operations.map(({ endpoint }) => endpoint.route);
  }

  endpointOf(request: IncomingRequest): Endpoint | undefined {
    return this.#find(request)?.operation.endpoint;
  }

  answer(request: IncomingRequest, listingLagMs: number): ServiceReply {
    const found = this.#find(request);
    if (found === undefined) return errorBody('message', new ErrorReply(404, this.#notFound(request)));
    const { endpoint, handler } = found.operation;
    try {
      this.#checkKey(endpoint, request.headers.get('x-access-key'));
      // A call of post analytics costs credits even if it is refused; a call of the insights only if it succeeds
      // (Limits, Credits).
      const { state } = this.#service.store;
      if (endpoint.retry === 'paid_per_call') state.creditsUsed += endpoint.credits ?? 0;
      const call = {
        ...readCall(endpoint, found.params, request, this.#service.clock.now(), this.#siblingQuery(endpoint)),
        listingLagMs,
      };
      const reply = handler(this.#service, call);
      checkReply(endpoint, reply);
      if (endpoint.retry !== 'paid_per_call') state.creditsUsed += endpoint.credits ?? 0;
      return { status: 200, body: reply };
    } catch (error) {
      if (error instanceof ErrorReply) return errorBody(endpoint.errorForm, error);
      throw error;
    }
  }

  #notFound(request: IncomingRequest): string {
    const path = servicePath(request.url);
    const message = `${request.method} ${path} does not exist.`;
    const hasSlash = path.endsWith('/');
    const other = hasSlash ? path.slice(0, -1) : `${path}/`;
    if (this.#find(request, other) === undefined) return message;
    return `${message} The path is ${other}, ${hasSlash ? 'without' : 'with'} a slash at the end.`;
  }

  #find(
    request: IncomingRequest,
    path = servicePath(request.url),
  ): { operation: ServedOperation; params: Record<string, string> } | undefined {
    for (const operation of this.#operations) {
      const { selectedBy } = operation.endpoint;
      if (selectedBy !== undefined && request.url.searchParams.has(selectedBy.query) !== selectedBy.present) continue;
      const encoded = matchRoute(operation.pattern, request.method, path);
      if (encoded === undefined) continue;
      const params = decodeAll(encoded);
      if (params !== undefined) return { operation, params };
    }
    return undefined;
  }

  /** Returns the query of another endpoint with the same route: for the service, the two are one operation. */
  #siblingQuery(endpoint: Endpoint): ObjectSchema['shape'] {
    const sibling = this.#operations.find(
      (other) => other.endpoint !== endpoint && other.endpoint.route === endpoint.route,
    );
    return sibling?.endpoint.query?.().shape ?? {};
  }

  #checkKey(endpoint: Endpoint, key: string | null): void {
    const { accessKeys, selectionNeedsKey } = this.#options;
    if (accessKeys === null) return;
    if (!selectionNeedsKey && endpoint.selection === true) return;
    if (key === null || key === '') throw new ErrorReply(401, 'The access key is missing.');
    if (!accessKeys.includes(key)) throw new ErrorReply(401, 'The access key is not valid.');
  }
}

function errorBody(form: 'message' | 'error', { status, message }: ErrorReply): ServiceReply {
  return { status, body: form === 'message' ? { success: false, message } : { error: message } };
}

function decodeAll(params: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}
