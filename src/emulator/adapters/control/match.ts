import { compileRoute, matchRoute } from '../../http/route.js';
import { Refusal } from './refusal.js';
import type { ControlRoute } from './route.js';

export const controlPath = '/_emulator';

export interface Match {
  readonly route: ControlRoute;
  readonly param: (name: string) => string;
}

/**
 * Finds the route of a request.
 * @throws Refusal if the path is unknown, or has no route for this method
 */
export function findRoute(routes: readonly ControlRoute[], method: string, pathname: string): Match {
  const path = pathname.slice(controlPath.length).replace(/(.)\/$/, '$1');
  const others: string[] = [];
  for (const route of routes) {
    const params = matchRoute(compileRoute(`${route.method} ${route.path}`), route.method, path);
    if (params === undefined) continue;
    if (route.method === method) return { route, param: (name) => decoded(params[name] ?? '') };
    others.push(route.method);
  }
  if (others.length === 0)
    throw new Refusal(404, `${pathname} does not exist. GET ${controlPath}/openapi.json describes all routes.`);
  const allowed = others.join(', ');
  throw new Refusal(405, `${pathname} takes ${allowed}, not ${method}.`, { allow: allowed });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal(400, 'The path is not valid percent-encoding.');
  }
}
