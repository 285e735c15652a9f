import { endpointAt, type Endpoint } from '../core/call/endpoint.js';
import { endpoints } from '../resources/endpoints.js';
import { SocialPublishing, type CreatePostBody, type FetchInit } from '../index.js';
import { CommandError, UsageError } from './errors.js';
import type { Fields } from '../core/json.js';
import { findSecret, nonEmpty } from './input.js';
import type { Session } from './command.js';

const urlVariable = 'SOCIAL_PUBLISHING_BASE_URL';
const keyVariable = 'SOCIAL_PUBLISHING_ACCESS_KEY';

/** Reads the base URL from the options or the environment; `undefined` if it is missing. */
export function findBaseUrl(session: Session): string | undefined {
  return session.text('baseUrl') ?? nonEmpty(session.world.env[urlVariable]);
}

/** @throws UsageError the base URL is missing */
export function knownBaseUrl(session: Session): string {
  const baseUrl = findBaseUrl(session);
  if (baseUrl !== undefined) return baseUrl;
  throw new UsageError(`The base URL is missing. Set ${urlVariable}, or pass --base-url URL.`);
}

/** Reads the access key from a file or the environment; `undefined` if it is missing. */
export function findAccessKey(session: Session): Promise<string | undefined> {
  return findSecret(session, 'accessKeyFile', keyVariable);
}

/** Creates the client from the options and the environment. */
export async function connect(session: Session): Promise<SocialPublishing> {
  const baseUrl = knownBaseUrl(session);
  const accessKey = await findAccessKey(session);
  if (accessKey === undefined)
    throw new UsageError(`The access key is missing. Set ${keyVariable}, or pass --access-key-file FILE.`);
  return new SocialPublishing({ baseUrl, accessKey });
}

/** A request as a dry run prints it. */
export interface DryRequest {
  readonly method: string;
  readonly route: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Lets the client validate and write a request, without sending it. Its secrets are masked.
 * @throws InvalidRequestError an argument is invalid
 */
export async function prepareRequest(
  { baseUrl }: SocialPublishing,
  endpoint: Endpoint,
  call: (client: SocialPublishing) => PromiseLike<unknown>,
): Promise<DryRequest> {
  const { route } = endpointAt(endpoint);
  let prepared: DryRequest | undefined;
  const fetch = (url: string | URL, { method, headers, body }: FetchInit): Promise<never> => {
    prepared = {
      method,
      route,
      url: endpoint.secrets?.params === undefined ? String(url) : baseUrl + route,
      headers,
      body: body === undefined ? undefined : masked(body, endpoint.secrets?.body),
    };
    return Promise.reject(new Error('It is only prepared.'));
  };
  try {
    await call(new SocialPublishing({ baseUrl, accessKey: '***', fetch, maxRetries: 0 }));
  } catch (error) {
    if (prepared === undefined) throw error;
  }
  if (prepared === undefined) throw new CommandError('No request to show.');
  return prepared;
}

function masked(body: string, secrets: readonly string[] = []): unknown {
  return JSON.parse(body, (name, value: unknown) => (secrets.includes(name) ? '***' : value));
}

/** The request of a new post, for a dry run. */
export function preparePost(client: SocialPublishing, body: CreatePostBody, extraBody?: Fields) {
  return prepareRequest(client, endpoints.posts.create, (dry) => dry.posts.create(body, { extraBody }));
}
