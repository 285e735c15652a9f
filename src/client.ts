import type { Endpoint, RetryClass, Route } from './core/call/endpoint.js';
import { type RequestOptions, setParts } from './core/call/transport.js';
import { defaultRuntime, type Runtime } from './core/runtime.js';
import {
  isObject,
  isWhole,
  issueAt,
  optional,
  optionIssues,
  optionsOf,
  present,
  unchecked,
  checkConfiguration,
} from './core/call/options.js';
import { AnalyticsResource, type Analytics } from './resources/analytics.js';
import { AppsResource, type Apps } from './resources/apps.js';
import { AutomationsResource, type Automations } from './resources/automations.js';
import { CommentsResource, type Comments } from './resources/comments.js';
import { IntegrationsResource, type Integrations } from './resources/integrations.js';
import { MessagesResource, type Messages } from './resources/messages.js';
import { NotificationsResource, type Notifications } from './resources/notifications.js';
import { PostsResource, type ClientPosts } from './posts/posts.js';
import { HttpTransport } from './http/call.js';
import { givenOptions, resolveSettings, type ClientOptions } from './http/client-options.js';
import { Credits, newShared, type Shared } from './http/context.js';
import { readAnyReply } from './http/reply.js';
import type { CallRequest } from './http/request.js';
import { isStandardSchema, type StandardSchema } from './core/standard-schema.js';
import { matchRoute } from './resources/endpoints.js';

/** The values for a route of `client.request`. */
export interface RequestInput<Output = unknown> {
  /** Values for the route's `{names}`. Each arrives as exactly one path segment. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  /** Query parameters. An array repeats its key; `undefined` is left out. Not checked. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** The JSON body. Not checked. */
  readonly body?: unknown;
  /** The schema of the reply: any Standard Schema, for example of zod, valibot or arktype. */
  readonly response?: StandardSchema<Output> | undefined;
  /**
   * `true`: repeating the operation does no harm, so it may be retried after any failure. Default `false`: a method
   * other than GET is never retried after it may have reached the service. A call that costs a credit keeps its own
   * rules.
   */
  readonly idempotent?: boolean | undefined;
}

/**
 * A client of the service.
 *
 * ```ts
 * const client = new SocialPublishing({ baseUrl: 'https://api.example.com', accessKey: process.env.ACCESS_KEY });
 * const post = await client.posts.create({
 *   content: 'Hello',
 *   platforms: [{ platform: 'bluesky', accountId: 'int_1' }],
 *   publishNow: true,
 * });
 * ```
 *
 * API document: Authentication; Endpoints.
 */
export class SocialPublishing {
  /** Posts: create, list, edit, and search for a create with an unknown outcome. */
  readonly posts: ClientPosts;
  /** Comments on posts of Facebook, Instagram, Threads and LinkedIn accounts. */
  readonly comments: Comments;
  /** Direct messages of Instagram accounts. */
  readonly messages: Messages;
  /** Comment automations: public replies and a direct message to comments with a keyword. */
  readonly automations: Automations;
  /** Analytics of posts and of Instagram accounts. Every call costs a credit. */
  readonly analytics: Analytics;
  /** Subscriptions to events of posts, by webhook or email. */
  readonly notifications: Notifications;
  /** Connected social accounts. */
  readonly integrations: Integrations;
  /** The client's own OAuth apps. */
  readonly apps: Apps;

  /** The URL that the client calls, as the URL Standard writes it, without a slash at its end. */
  readonly baseUrl: string;

  readonly #options: ClientOptions;
  readonly #shared: Shared;
  readonly #runtime: Runtime;
  readonly #transport: HttpTransport;

  /**
   * Creates a client. It sends nothing before the first call. One client for all calls of a program is enough: its calls
   * share credits and the pause after a 429.
   *
   * @example
   * ```ts
   * const client = new SocialPublishing({ baseUrl: 'https://api.example.com', accessKey: process.env.ACCESS_KEY });
   * ```
   * @param options see each option; `baseUrl` and `accessKey` may come from the environment
   * @throws {@link ConfigurationError} an option cannot work
   */
  constructor(options?: ClientOptions);
  /** @internal */
  // eslint-disable-next-line @typescript-eslint/unified-signatures -- only the first one is published
  constructor(options?: ClientOptions, runtime?: Partial<Runtime>, shared?: Shared);
  constructor(options: ClientOptions = {}, runtime: Partial<Runtime> = {}, shared: Shared = newShared()) {
    const settings = resolveSettings(options);
    this.baseUrl = settings.baseUrl;
    this.#options = givenOptions(options);
    this.#shared = shared;
    this.#runtime = { ...defaultRuntime, ...runtime, ...(options.now === undefined ? {} : { now: options.now }) };
    const context = { settings, shared, runtime: this.#runtime };
    this.#transport = new HttpTransport(context);
    setParts(this, context);
    this.posts = new PostsResource(this.#transport);
    this.comments = new CommentsResource(this.#transport);
    this.messages = new MessagesResource(this.#transport);
    this.automations = new AutomationsResource(this.#transport);
    this.analytics = new AnalyticsResource(this.#transport);
    this.notifications = new NotificationsResource(this.#transport);
    this.integrations = new IntegrationsResource(this.#transport);
    this.apps = new AppsResource(this.#transport);
  }

  /**
   * The credits spent by this client and by clients made from it with `withOptions`, as the API document counts them.
   * Each call of post analytics that may have reached the service counts, even if it was refused. Each successful call
   * of the insights counts. Credits that publishing costs are not documented and not counted.
   */
  get creditsUsed(): number {
    return this.#shared.credits.used;
  }

  /**
   * Makes a client with some options changed; `undefined` changes nothing. It shares the count of credits, the retry budget and the memory of
   * creates with this one.
   *
   * @throws {@link ConfigurationError} an option cannot work
   */
  withOptions(options: ClientOptions): SocialPublishing {
    return derive({ ...this.#options, ...givenOptions(options) }, this.#runtime, this.#shared);
  }

  /**
   * Creates a client that may spend this number of credits, counted from 0. Its credits also count on this client and on
   * its parents, and their limits apply too. It shares everything else with this client.
   *
   * @param credits a whole number, 0 or more
   * @throws {@link ConfigurationError} `credits` is not such a number
   */
  withBudget(credits: number): SocialPublishing {
    checkConfiguration(budget, { credits });
    const parent = { credits: this.#shared.credits, maxCredits: this.#options.maxCredits };
    const shared = { ...this.#shared, credits: new Credits(credits, parent) };
    return derive({ ...this.#options, maxCredits: undefined }, this.#runtime, shared);
  }

  /**
   * Calls an operation without a method here, under the same policies: key, deadlines, errors, no redirects. Resolves
   * to the result of `response`, else to the parsed JSON; `undefined` for a reply without a body.
   *
   * ```ts
   * const post = await client.request('GET /v1/posts/{postId}', { params: { postId: 'post_1' } });
   * ```
   *
   * @param route method and path template, for example `'GET /v1/posts/{postId}'`
   * @throws {@link InvalidRequestError} the route or its parameters are invalid; nothing was sent
   */
  request<Output>(
    route: Route | (string & {}),
    input: RequestInput<Output> & {
      /** The schema of the reply. */
      readonly response: StandardSchema<Output>;
    },
    options?: RequestOptions,
  ): Promise<Output>;
  /** Does the same without a schema: the reply is unchecked. */
  request(route: Route | (string & {}), input?: RequestInput, options?: RequestOptions): Promise<unknown>;
  request(route: Route | (string & {}), input: RequestInput = {}, options: RequestOptions = {}): Promise<unknown> {
    return this.#transport.run(routeRequest(route, input), options);
  }
}

const budget = optionsOf<{ credits: number }>('a limit', {
  credits: present(isWhole({ least: 0 })),
});

// A function: a bundle that does not call it can drop what it checks with.
const requestInput = () =>
  optionsOf<RequestInput>('a field of a request', {
    params: isObject,
    query: isObject,
    body: unchecked,
    response: optional('a Standard Schema, for example of zod', isStandardSchema),
    idempotent: unchecked,
  });

/** Turns a route that a caller wrote into a call. It costs and takes as long as the documented operation that it matches. */
function routeRequest(route: string, input: RequestInput | null): CallRequest {
  const parsed = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/[^\s?#\\]*)$/.exec(route);
  const [, method = '', written = ''] = parsed ?? [];
  // A caller without types may pass null.
  const { query = {}, body, response, params: given = {}, idempotent } = input ?? {};
  const { endpoint, path, params, secrets } = matchRoute(method, written, given);
  const issues = optionIssues(requestInput(), input);
  // `//` would name a host.
  if (parsed === null || path.includes('//')) {
    const message = "must be a method and a path, for example 'GET /v1/posts/{postId}'; a query goes into `query`";
    issues.unshift(issueAt(['route'], message));
  }
  return {
    operation: {
      route: `${method} ${path}`,
      retry: retryClass(method, idempotent, endpoint),
      credits: endpoint?.credits,
      isSlow: endpoint?.isSlow,
      secrets: { ...endpoint?.secrets, params: secrets },
      carriedOut: endpoint?.carriedOut,
    },
    input: { params, query, body },
    read: readAnyReply(response),
    issues,
  };
}

/** Outside the class: a bundler renames a class that refers to itself, and consoles show the name. */
function derive(options: ClientOptions, runtime: Runtime, shared: Shared): SocialPublishing {
  return new SocialPublishing(options, runtime, shared);
}

/** A paid operation keeps its own rule when it is called by its route. */
function retryClass(method: string, idempotent: boolean | undefined, endpoint: Endpoint | undefined): RetryClass {
  if (endpoint?.credits !== undefined) return endpoint.retry;
  return idempotent === true || method === 'GET' || method === 'HEAD' ? 'repeatable' : 'once';
}
