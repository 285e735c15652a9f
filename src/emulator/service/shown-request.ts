import type { RequestRecord } from './traffic.js';

const secretHeaders: ReadonlySet<string> = new Set(['x-access-key', 'authorization', 'proxy-authorization', 'cookie']);

/** Returns a request as a state or the control API may show it. Any key may be a real one: the command takes its key from the environment. */
export function shownRequest(record: RequestRecord): RequestRecord {
  // A stored state may lack them, because its owner may have removed them.
  const { headers = {} } = record as Partial<RequestRecord>;
  if (!Object.keys(headers).some((name) => secretHeaders.has(name))) return record;
  const shown = Object.entries(headers).map(
    ([name, value]) => [name, secretHeaders.has(name) ? '***' : value] as const,
  );
  return { ...record, headers: Object.fromEntries(shown) };
}
