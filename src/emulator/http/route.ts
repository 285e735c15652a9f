import { allEndpoints } from '../../resources/endpoints.js';
import { once } from '../../schema/fields.js';

export interface RoutePattern {
  readonly method: string;
  readonly segments: readonly (string | { readonly param: string })[];
}

/** Reads `METHOD /path/{param}`. */
export function compileRoute(route: string): RoutePattern {
  const [method = '', path = ''] = route.split(' ', 2);
  return {
    method: method.toUpperCase(),
    segments: path.split('/').map((segment) => {
      const param = /^\{(.+)\}$/.exec(segment)?.[1];
      return param === undefined ? segment : { param };
    }),
  };
}

/** Returns the path parameters of a matching path, still encoded. */
export function matchRoute(pattern: RoutePattern, method: string, path: string): Record<string, string> | undefined {
  if (pattern.method !== method.toUpperCase()) return undefined;
  const segments = path.split('/');
  if (segments.length !== pattern.segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.segments.entries()) {
    const segment = segments[index] ?? '';
    if (typeof expected === 'string') {
      if (segment !== expected) return undefined;
    } else {
      if (segment === '') return undefined;
      params[expected.param] = segment;
    }
  }
  return params;
}

const version = '/v1/';

/** The segment after the version, for each route of the service. */
const names = once(() => new Set(allEndpoints().map(({ route }) => nameAt(route, route.indexOf(version)))));

/** Returns the path from the service's `/v1/` on. A base URL may have a path that also contains `/v1/`. */
export function servicePath({ pathname }: URL): string {
  const first = pathname.indexOf(version);
  if (first === -1) return pathname;
  for (let at = pathname.lastIndexOf(version); at > first; at = pathname.lastIndexOf(version, at - 1))
    if (names().has(nameAt(pathname, at))) return pathname.slice(at);
  return pathname.slice(first);
}

function nameAt(path: string, at: number): string {
  return path.slice(at + version.length).split('/', 1)[0] ?? '';
}
