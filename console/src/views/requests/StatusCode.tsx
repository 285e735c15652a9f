import type { RequestRecord } from './requests.js';

/** Shows the status of a reply. */
export function StatusCode({ record: { status } }: { readonly record: RequestRecord }) {
  const tone = status === undefined || status >= 500 ? 'bad' : status >= 400 ? 'warning' : 'good';
  return <span class={`status status-${tone}`}>{status ?? 'no reply'}</span>;
}
