import { allEndpoints } from '../../resources/endpoints.js';

/** The segments that precede a secret, from the endpoints. */
const before = new Set(
  allEndpoints().flatMap(({ route, secrets }) => {
    const segments = route.split('/');
    return (secrets?.params ?? []).flatMap((name) => segments[segments.indexOf(`{${name}}`) - 1] ?? []);
  }),
);

/** Masks the segments after them, for logs, whatever the operation. */
export function maskedPath(path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, index) => (before.has(segments[index - 1] ?? '') && segment !== '' ? '***' : segment))
    .join('/');
}
