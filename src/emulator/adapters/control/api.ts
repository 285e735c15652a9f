import { accountRoutes, incomingRoutes } from './account-routes.js';
import { clockRoutes } from './clock-routes.js';
import { wrongDayRoutes } from './fault-routes.js';
import { observedRoutes } from './observed-routes.js';
import { type ControlRoute, controlPath, findRoute, type Match, route, valuesOf } from './route.js';
import { seedRoutes } from './seed-routes.js';
import { stateRoutes } from './state-routes.js';
import { trafficRoutes } from './traffic-routes.js';
import { endpointAt } from '../../../core/call/endpoint.js';
import { SocialPublishingError } from '../../../core/errors.js';
import { defaultRuntime } from '../../../core/runtime.js';
import type { Emulator } from '../../emulator.js';
import { UnknownIdError } from '../../service/fields.js';
import { controlDocument } from './openapi.js';
import type { Observed } from './observed.js';
import { parseBody, queryOf, Refusal } from './guard.js';
import { parsed } from '../../../schema/issues.js';

/** Every route, including the description of the API. */
export const allRoutes: readonly ControlRoute[] = [
  ...stateRoutes,
  ...seedRoutes,
  ...accountRoutes,
  ...incomingRoutes,
  ...clockRoutes,
  ...wrongDayRoutes,
  ...trafficRoutes,
  ...observedRoutes,
  route({
    route: 'GET /openapi.json',
    summary: 'Describes the control API as OpenAPI 3.1.',
    reply: { description: 'The document.' },
    answer: () => controlDocument(allRoutes),
  }),
];

export interface ControlApi {
  /** Answers a request under `/_emulator/`. It never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends the event streams. */
  close(): void;
}

/**
 * Creates the control API of an emulator.
 * @param guard throws a `Refusal` for a request that must not reach it
 */
export function createControlApi(
  service: Emulator,
  guard: (request: Request) => void,
  observed: Observed = {},
): ControlApi {
  const start = service.snapshot();
  const instance = defaultRuntime.newId();
  const ended = new AbortController();
  return {
    async fetch(request) {
      try {
        guard(request);
        const { method, url } = request;
        const match = findRoute(allRoutes, method, new URL(url).pathname);
        const given = await argumentsOf(match, request);
        const context = { service, start, observed, instance, ended: ended.signal, param: match.param };
        const reply = await match.route.answer({ ...context, ...given });
        if (!(reply instanceof ReadableStream)) return json(200, reply);
        return new Response(reply, { headers: { 'content-type': 'text/event-stream', ...headers } });
      } catch (error) {
        return refused(error);
      }
    },
    close() {
      ended.abort();
    },
  };
}

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function json(status: number, body: unknown, more: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers: { ...headers, ...more } });
}

async function argumentsOf({ route, param }: Match, request: Request): Promise<{ query: unknown; body: unknown }> {
  const path = `${controlPath}${endpointAt(route).route}`;
  const search = queryOf(new URL(request.url).searchParams);
  const [unknown] = Object.keys(search);
  if (route.query === undefined && unknown !== undefined)
    throw new Refusal(400, `${path} has no query parameter '${unknown}'.`);
  const query = route.query === undefined ? {} : parsed(route.query(), search, invalid('query'));
  const schema = route.bodyOf === undefined ? route.body?.() : route.bodyOf(param);
  const text = (await request.text()).trim();
  if (schema === undefined) {
    if (route.bodyOf !== undefined) throw new Refusal(404, `${path} must be one of ${valuesOf(route).join(', ')}.`);
    if (text !== '' && text !== '{}') throw new Refusal(400, `${path} accepts no body.`);
    return { query, body: undefined };
  }
  if (text === '' && route.bodyOptional !== true) throw new Refusal(400, 'The body is missing: send a JSON object.');
  return { query, body: parsed(schema, text === '' ? {} : parseBody(text), invalid('body')) };
}

const invalid = (what: string) => (issues: string) => new Refusal(400, `The ${what} is not valid: ${issues}`);

/** The library throws these for invalid arguments, with helpful messages. */
function isRefusal(error: unknown): error is Error {
  return error instanceof RangeError || error instanceof TypeError || error instanceof SocialPublishingError;
}

/** Returns the reply to a request that failed. */
export function refused(error: unknown): Response {
  if (error instanceof Refusal) return json(error.status, { error: error.message }, error.headers);
  if (error instanceof UnknownIdError) return json(404, { error: error.message });
  if (isRefusal(error)) return json(400, { error: error.message });
  return json(500, { error: error instanceof Error ? error.message : 'The emulator failed.' });
}
