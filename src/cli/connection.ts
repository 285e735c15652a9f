import { isSecretName } from '../core/redactor.js';
import { endpointAt } from '../core/call/endpoint.js';
import { endpoints } from '../resources/endpoints.js';
import { SocialPublishing, type ClientOptions, type CreatePostBody, type FetchInit } from '../index.js';
import { CommandError, UsageError } from './errors.js';
import { baseUrlOf, isLoopback, parseUrl } from '../core/parse-url.js';
import { findSecret, nonEmpty, type JsonObject } from './input.js';
import { textOf, type Session, type Values } from './session.js';

const urlVariable = 'SOCIAL_PUBLISHING_BASE_URL';
const keyVariable = 'SOCIAL_PUBLISHING_ACCESS_KEY';

export interface Connection {
  /** In its normal spelling. */
  readonly baseUrl: string;
  readonly client: SocialPublishing;
  /** Creates a separate client with some options changed. */
  readonly clientWith: (options: ClientOptions) => SocialPublishing;
}

/** Reads the base URL from the options or the environment; `undefined` if it is missing. */
export function findBaseUrl({ world }: Session, values: Values): string | undefined {
  return textOf(values, 'baseUrl') ?? nonEmpty(world.env[urlVariable]);
}

/** Reads the access key from a file or the environment; `undefined` if it is missing. */
export function findAccessKey(session: Session, values: Values): Promise<string | undefined> {
  return findSecret(session, values, 'accessKeyFile', keyVariable);
}

/** Creates the client from the options and the environment. */
export async function connect(session: Session, values: Values): Promise<Connection> {
  const baseUrl = findBaseUrl(session, values);
  if (baseUrl === undefined)
    throw new UsageError(`The base URL is missing. Set ${urlVariable}, or pass --base-url URL.`);
  const accessKey = await findAccessKey(session, values);
  if (accessKey === undefined)
    throw new UsageError(`The access key is missing. Set ${keyVariable}, or pass --access-key-file FILE.`);
  const clientWith = (options: ClientOptions) => new SocialPublishing({ baseUrl, accessKey, ...options });
  return { baseUrl: normalBaseUrl(baseUrl), client: clientWith({}), clientWith };
}

/** Returns whether the service is on this computer, so that it may be the emulator. */
export function isLocal(baseUrl: string): boolean {
  return isLoopback(new URL(baseUrl).hostname);
}

/** The base URL as the URL Standard writes it, without a slash at its end. Text that is not such a URL stays unchanged. */
export function normalBaseUrl(text: string): string {
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return text;
  return baseUrlOf(url);
}

export interface DryRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Lets the client validate and write a request, without sending it.
 * @throws InvalidRequestError an argument is invalid
 */
export async function prepareRequest(
  { clientWith }: Connection,
  call: (client: SocialPublishing) => PromiseLike<unknown>,
): Promise<DryRequest> {
  let prepared: DryRequest | undefined;
  const fetch = (url: string | URL, { method, headers, body }: FetchInit): Promise<never> => {
    prepared = {
      method,
      url: String(url),
      headers: redacted(headers),
      // Not `any`, which JSON.parse returns.
      ...(body === undefined ? {} : { body: JSON.parse(body) as unknown }),
    };
    return Promise.reject(new Error('It is only prepared.'));
  };
  try {
    await call(clientWith({ fetch, maxRetries: 0 }));
  } catch (error) {
    if (prepared === undefined) throw error;
  }
  if (prepared === undefined) throw new CommandError('No request to show.');
  return prepared;
}

/** The request of a new post, for a dry run. */
export async function preparePost(connection: Connection, body: CreatePostBody, extraBody?: JsonObject) {
  const { method, ...request } = await prepareRequest(connection, (client) => client.posts.create(body, { extraBody }));
  return { method, route: endpointAt(endpoints.posts.create).route, ...request };
}

function redacted(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? '***' : value]));
}
