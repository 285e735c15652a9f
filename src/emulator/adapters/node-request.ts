import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request that is none: it never reaches the service. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What `fetch` can't send, and `Request` can't hold. */
const forbiddenMethods: readonly string[] = ['TRACE', 'TRACK', 'CONNECT'];

/**
 * A request of Node as one of `fetch`.
 * @throws BadRequest where it can't be one
 */
export async function toRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const { method = 'GET', headers } = incoming;
  const body = await buffer(incoming);
  if (forbiddenMethods.includes(method)) throw new BadRequest(405, `The method ${method} is not taken.`);
  const entries = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const part of [value].flat()) if (part !== undefined) entries.append(name, part);
  }
  return new Request(addressOf(incoming), {
    method,
    headers: entries,
    signal,
    ...(method === 'GET' || method === 'HEAD' || body.length === 0 ? {} : { body }),
  });
}

function addressOf({ url: target = '/', headers: { host = '127.0.0.1' } }: IncomingMessage): URL {
  const base = `http://${host}`;
  if (!/^[^\s/?#@\\]+$/.test(host) || !URL.canParse(base)) throw new BadRequest(400, 'The Host header names no host.');
  // Put together as text: with a base, a target of two slashes would name a host.
  const address = target.startsWith('/') ? `${base}${target}` : target;
  if (target === '*' || !URL.canParse(address)) throw new BadRequest(400, 'The target of the request is no URL.');
  const url = new URL(address);
  if (url.username !== '' || url.password !== '')
    throw new BadRequest(400, 'The target of the request names a user: a key goes into the header x-access-key.');
  return url;
}
