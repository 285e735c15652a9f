import { allEndpoints } from '../../resources/endpoints.js';

/** The segments after which a secret stands, as the endpoints say. */
const before = new Set(
  allEndpoints().flatMap(({ route, secrets }) => {
    const segments = route.split('/');
    return (secrets?.params ?? []).flatMap((name) => segments[segments.indexOf(`{${name}}`) - 1] ?? []);
  }),
);

/** A path as a log may show it: what follows such a segment is masked, whichever operation it is. */
export function maskedPath(path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, index) => (before.has(segments[index - 1] ?? '') && segment !== '' ? '***' : segment))
    .join('/');
}
