import { parseJson } from '../../core/json.js';
import type { RequestRecord } from '../service/traffic.js';
import { timestamp } from '../service/time.js';
import type { IncomingRequest } from './incoming-request.js';

export function requestRecord(
  id: string,
  { method, url, headers, body }: IncomingRequest,
  route: string | undefined,
  now: number,
): RequestRecord {
  return {
    id,
    method,
    url: url.href,
    path: url.pathname,
    ...(route === undefined ? {} : { route }),
    query: queryOf(url),
    headers: Object.fromEntries(headers),
    ...(body === '' ? {} : { body: parsed(body) }),
    at: timestamp(now),
  };
}

function queryOf({ searchParams }: URL): Record<string, string | readonly string[]> {
  const query: Record<string, string | readonly string[]> = {};
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name);
    query[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  return query;
}

function parsed(text: string): unknown {
  try {
    // JSON nested deeper than any reply could not be shown or written.
    return parseJson(text);
  } catch {
    return text;
  }
}
