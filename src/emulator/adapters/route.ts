import { ConfigurationError } from '../../core/errors.js';
import { isLoopback } from '../../core/parse-url.js';
import { checkConfiguration, isBoolean, optional, optionsOf } from '../../core/call/options.js';
import type { Emulator } from '../emulator.js';
import { cutStream, respond } from '../http/respond.js';
import { createControlApi, type ControlApi } from './control/api.js';
import { isBackground, isOrigins, refuseOtherOrigins } from './control/guard.js';
import { isControlPath } from './control/route.js';
import { pageReply } from './page.js';

/** The options of `emulatorRoute`. */
export interface EmulatorRouteOptions {
  /** The path that the route is mounted at, such as `/api/emulator`. Default: the root of the server. */
  readonly basePath?: string | undefined;
  /**
   * Whether the route answers. Only `true` enables it; otherwise every request gets 404. Default false. For example
   * `process.env.VERCEL_ENV === 'preview'`.
   */
  readonly enabled?: boolean | undefined;
  /**
   * Serves the console at `{basePath}/console` and the control API under `{basePath}/_emulator/`. Both require an access key of
   * the emulator: in the header `x-access-key`, or as the password that a browser asks for. Default false.
   */
  readonly console?: boolean | undefined;
  /**
   * Origins that webhook deliveries may go to, such as `https://preview.example.com`, besides loopback. The emulator sends no
   * other deliveries, so that a public route cannot be used to call other servers. Default: none.
   */
  readonly deliverTo?: string | readonly string[] | undefined;
}

const routeOptions = optionsOf<EmulatorRouteOptions>('an option of emulatorRoute', {
  basePath: optional(
    "a path such as '/api/emulator'",
    (value) => typeof value === 'string' && /^(?:\/[\w.~-]+)*\/?$/.test(value),
  ),
  enabled: isBoolean,
  console: isBoolean,
  deliverTo: isOrigins('https://preview.example.com'),
});

/**
 * Creates a route that serves an emulator in a web framework: a function from `Request` to `Response`, for Next.js, Hono, Workers
 * and others. Use it for preview deployments and demos, never in production: without `enabled: true` it answers 404.
 *
 * The state is in the memory of one instance. If a platform starts several instances, each has its own.
 *
 * @example
 * ```ts
 * const route = emulatorRoute(service, { basePath: '/api/emulator', enabled: process.env['VERCEL_ENV'] === 'preview' });
 * ```
 * @throws `ConfigurationError` for invalid options, and for `console: true` if the emulator requires no access key
 */
export function emulatorRoute(
  service: Emulator,
  options: EmulatorRouteOptions = {},
): (request: Request) => Promise<Response> {
  checkConfiguration(routeOptions, options);
  const { basePath = '', deliverTo = [] } = options;
  if (options.enabled !== true) return () => Promise.resolve(notFound());
  const control = options.console === true ? createControlApi(service, refuseOtherOrigins) : undefined;
  if (control !== undefined && service.accessKeys === null)
    throw new ConfigurationError(
      'emulatorRoute: console requires an emulator with an access key. Pass accessKey to createEmulator.',
    );
  service.limitDeliveries(refusalOf([deliverTo].flat()));
  const base = basePath.replace(/\/$/, '');
  return async (request) => {
    const url = new URL(request.url);
    if (url.pathname !== base && !url.pathname.startsWith(`${base}/`)) return notFound();
    url.pathname = url.pathname.slice(base.length);
    return answer({ service, control, base }, url, request);
  };
}

interface Mounted {
  readonly service: Emulator;
  readonly control: ControlApi | undefined;
  readonly base: string;
}

/** Answers a request whose URL no longer contains the base path. */
async function answer({ service, control, base }: Mounted, url: URL, request: Request): Promise<Response> {
  const path = url.pathname;
  if (path.startsWith('/v1/')) {
    const isAside = control !== undefined && isBackground((name) => request.headers.get(name));
    const passedOn = await withUrl(request, url);
    const exchange = await (isAside ? service.exchangeAside(passedOn) : service.exchange(passedOn));
    // A route cannot reset a connection. A body that breaks off is also a connection error for the client.
    return exchange.kind === 'reset' || exchange.kind === 'refused'
      ? new Response(cutStream(''))
      : respond(exchange, passedOn);
  }
  if (control === undefined) return notFound();
  if (!hasKey(request, service.accessKeys ?? [])) return keyRequired();
  if (isControlPath(path)) return control.fetch(await withUrl(request, url));
  // The page loads its files relative to itself.
  if (path === '/' && !request.url.replace(/[?#].*$/s, '').endsWith('/')) return redirect(`${base}/console`);
  return (await pageReply(path === '/console' ? '/' : path, request.method)) ?? notFound();
}

/** Returns the same request for another URL. Its body is read first, because not every runtime can forward a stream. */
async function withUrl(request: Request, url: URL): Promise<Request> {
  const { method, headers, signal } = request;
  const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer();
  return new Request(url, { method, headers, signal, body: body?.byteLength === 0 ? null : body });
}

function hasKey({ headers }: Request, accessKeys: readonly string[]): boolean {
  const given = [headers.get('x-access-key'), passwordIn(headers.get('authorization'))];
  return given.some(
    (key) => key !== undefined && key !== null && accessKeys.some((accessKey) => isSame(key, accessKey)),
  );
}

/**
 * Returns the password of `Authorization: Basic`. A browser asks for it, and then sends it with every request of the
 * page.
 */
function passwordIn(authorization: string | null): string | undefined {
  const [, encoded] = /^Basic +([\w+/]+=*)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return /^[^:]*:(.*)$/s.exec(new TextDecoder().decode(bytes))?.[1];
  } catch {
    return undefined;
  }
}

/** Compares in constant time: a comparison that stops at the first difference would help to guess a key. */
function isSame(given: string, key: string): boolean {
  const [left, right] = [given, key].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array]; // Two inputs give two outputs.
  let difference = left.length ^ right.length;
  for (let index = 0; index < left.length; index += 1) difference |= (left[index] ?? 0) ^ (right[index] ?? 0);
  return difference === 0;
}

function refusalOf(origins: readonly string[]): (url: string) => string | undefined {
  return (text) => {
    const { origin, hostname } = new URL(text);
    if (isLoopback(hostname) || origins.includes(origin)) return undefined;
    return `not sent: deliverTo of emulatorRoute does not contain ${origin}`;
  };
}

const notFound = () => new Response('Not found', { status: 404, headers: { 'content-type': 'text/plain' } });

const redirect = (location: string) => new Response(null, { status: 307, headers: { location } });

const keyRequired = () =>
  Response.json(
    { error: 'The console and the control API require an access key of the emulator, in the header x-access-key.' },
    { status: 401, headers: { 'www-authenticate': 'Basic realm="Emulator: any name, access key", charset="UTF-8"' } },
  );
