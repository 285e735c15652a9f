import type { RequestRecord } from './traffic.js';

const secretHeaders: ReadonlySet<string> = new Set(['x-access-key', 'authorization', 'proxy-authorization', 'cookie']);

/**
 * A request as it may leave the process, in a state or by the control API. The emulator's own access keys are no secrets.
 * Another key may be one of the real service, sent here by mistake.
 */
export function shownRequest(record: RequestRecord, accessKeys: readonly string[] | null): RequestRecord {
  // A state may have lost them: whoever keeps one may cut out what they like.
  const { headers = {} } = record as Partial<RequestRecord>;
  const isHidden = (name: string, value: string) =>
    secretHeaders.has(name) && !(name === 'x-access-key' && accessKeys?.includes(value) === true);
  if (!Object.entries(headers).some(([name, value]) => isHidden(name, value))) return record;
  const shown = Object.entries(headers).map(([name, value]) => [name, isHidden(name, value) ? '***' : value] as const);
  return { ...record, headers: Object.fromEntries(shown) };
}
