import type { FaultEntry } from '../../state/rules.js';

/** The label of a kind of fault, and its specific fields. */
export interface FaultKind {
  readonly kind: string;
  readonly words: string;
  readonly fields?: readonly {
    readonly name: string;
    readonly label: string;
    readonly value: string;
    /** The limits of a number. Without them, the field is a text. */
    readonly limits?: { readonly min: number; readonly max?: number };
  }[];
}

const number = (name: string, label: string, value: number, min = 0, max?: number) => ({
  name,
  label,
  value: String(value),
  limits: { min, ...(max === undefined ? {} : { max }) },
});

export const requestKinds: readonly FaultKind[] = [
  { kind: 'status', words: 'Another status', fields: [number('status', 'Status', 503, 200, 599)] },
  { kind: 'reset_before', words: 'Connection reset before' },
  { kind: 'reset_after_commit', words: 'Executed, then reset' },
  { kind: 'timeout', words: 'No reply' },
  { kind: 'truncated_body', words: 'Reply cut off' },
  { kind: 'invalid_json', words: 'Reply is not JSON' },
  { kind: 'latency', words: 'Late reply', fields: [number('latencyMs', 'Milliseconds', 2_000)] },
  { kind: 'listing_lag', words: 'Posts listed late', fields: [number('lagMs', 'Milliseconds', 5_000)] },
  { kind: 'outage', words: 'Service down', fields: [{ name: 'effect', label: 'Effect', value: 'unavailable' }] },
  { kind: 'rate_limit', words: 'Rate limit', fields: [number('perSecond', 'Per second', 5, 1)] },
];

export const deliveryKinds: readonly FaultKind[] = [
  { kind: 'duplicate', words: 'Sent twice, one after the other' },
  { kind: 'concurrent', words: 'Sent twice at the same time' },
  { kind: 'reorder', words: 'After the next event' },
  { kind: 'delay', words: 'Late', fields: [number('delayMs', 'Milliseconds', 60_000)] },
  { kind: 'timeout', words: 'No reply' },
  { kind: 'lost', words: 'Lost' },
  {
    kind: 'rotated_secret',
    words: 'Signed with another secret',
    fields: [{ name: 'secret', label: 'Secret', value: '' }],
  },
];

/** Returns the name of a fault, as the forms show its kind; of a status fault, its status. */
export function nameOf({ kind, status }: FaultEntry['fault']): string {
  if (kind === 'status') return `Status ${String(status)}`;
  return [...requestKinds, ...deliveryKinds].find((known) => known.kind === kind)?.words ?? kind;
}

/** Says how often a rule has applied. */
export function appliedText(struck: number): string {
  if (struck === 0) return 'not applied yet';
  return struck === 1 ? 'applied once' : `applied ${struck} times`;
}
