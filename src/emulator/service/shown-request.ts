import type { RequestRecord } from './traffic.js';

const secretHeaders: ReadonlySet<string> = new Set(['x-access-key', 'authorization', 'proxy-authorization', 'cookie']);

/**
 * Returns a request as a state or the control API may show it. The emulator's access keys are not secret. Another key
 * may be a real one, sent here by mistake.
 */
export function shownRequest(record: RequestRecord, accessKeys: readonly string[] | null): RequestRecord {
  // A stored state may lack them, because its owner may have removed them.
  const { headers = {} } = record as Partial<RequestRecord>;
  const isHidden = (name: string, value: string) =>
    secretHeaders.has(name) && !(name === 'x-access-key' && accessKeys?.includes(value) === true);
  if (!Object.entries(headers).some(([name, value]) => isHidden(name, value))) return record;
  const shown = Object.entries(headers).map(([name, value]) => [name, isHidden(name, value) ? '***' : value] as const);
  return { ...record, headers: Object.fromEntries(shown) };
}
