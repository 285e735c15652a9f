export interface Pattern {
  readonly method: string;
  readonly segments: readonly (string | { readonly param: string })[];
}

/** Reads `METHOD /path/{param}`. */
export function compileRoute(route: string): Pattern {
  const [method = '', path = ''] = route.split(' ', 2);
  return {
    method: method.toUpperCase(),
    segments: path.split('/').map((segment) => {
      const param = /^\{(.+)\}$/.exec(segment)?.[1];
      return param === undefined ? segment : { param };
    }),
  };
}

/** The path parameters of a path that fits, still encoded. */
export function matchRoute(pattern: Pattern, method: string, path: string): Record<string, string> | undefined {
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

/** The path from `/v1/` on: a base URL may have a path of its own. */
export function servicePath(url: URL): string {
  const start = url.pathname.indexOf('/v1/');
  return start === -1 ? url.pathname : url.pathname.slice(start);
}
