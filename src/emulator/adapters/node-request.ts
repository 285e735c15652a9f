import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { parseUrl } from '../../core/parse-url.js';

/** A malformed request, which never reaches the service. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Methods that `fetch` cannot send and `Request` cannot represent. */
const forbiddenMethods: readonly string[] = ['TRACE', 'TRACK', 'CONNECT'];

/**
 * Converts a Node request into a `Request`.
 * @throws BadRequest if the request is malformed
 */
export async function toRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const { method = 'GET', headers } = incoming;
  const body = await buffer(incoming);
  if (forbiddenMethods.includes(method)) throw new BadRequest(405, `The method ${method} is not supported.`);
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
  if (!/^[^\s/?#@\\]+$/.test(host) || parseUrl(base) === undefined)
    throw new BadRequest(400, 'The Host header names no host.');
  // Joined as text: with a base, a target that begins with two slashes would name a host.
  const address = target.startsWith('/') ? `${base}${target}` : target;
  const url = target === '*' ? undefined : parseUrl(address);
  if (url === undefined) throw new BadRequest(400, 'The target of the request is not a URL.');
  if (url.username !== '' || url.password !== '')
    throw new BadRequest(
      400,
      'The target of the request contains a user name. Send the key in the header x-access-key.',
    );
  return url;
}
