/** The calls of users, and what goes wrong. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
/** When every history starts. */
export const start = Date.parse('2026-05-01T09:00:00Z');

export interface Operation {
  readonly type: 'operation';
  /** Milliseconds after the start. */
  readonly at: number;
  readonly process: number;
  readonly what: OperationName;
  readonly key: number;
  /** Decides the details, such as an operator's decision. */
  readonly detail: number;
}

export const operationWeights = {
  publish: 8,
  enqueue: 2,
  resume: 2,
  sweep: 6,
  resolve: 1.5,
  prune: 0.7,
  catchUp: 1.2,
  replay: 0.7,
  edit: 0.5,
  create: 0.8,
  retryFailed: 0.5,
  publishMany: 0.5,
  list: 0.5,
  conflict: 0.3,
  analytics: 0.6,
  'restart the inbox': 0.4,
} as const;

/** Calls before the send. They are drawn separately, so that the other draws of a seed stay the same. */
export const changeWeights = { cancel: 1, 'edit intent': 2, 'paused sweep': 1 } as const;

/** Some calls are only in explored histories. */
export type OperationName = keyof typeof operationWeights | keyof typeof changeWeights | 'resolveAll' | 'createOnce';

/** Something that goes wrong from a time to another one, with a chance each time that it can. */
export interface Fault {
  readonly type: 'fault';
  readonly at: number;
  readonly until: number;
  readonly kind: FaultName;
  /** The process that it hits, if it hits one. */
  readonly process: number;
  readonly chance: number;
  readonly detail: number;
}

export const faultWeights = {
  'store fails': 1,
  'store loses answers': 2,
  'store is slow': 1,
  'store is closed': 1,
  'store has foreign data': 1.5,
  'due is stale': 1,
  'connection refused': 0.7,
  'reset before the service': 1,
  'reset after the service': 2,
  'silence before the service': 0.7,
  'silence after the service': 1,
  'body cut': 1,
  'gateway error before the service': 0.5,
  'gateway error after the service': 1,
  'sent twice by a proxy': 0.7,
  'reused connection fails': 1,
  'requests are late': 1,
  'replies are late': 1,
  'Date from a cache': 0.7,
  'old Date': 0.7,
  'old Date with Age': 0.7,
  'callers abort': 1,
  'the access key is rotated': 0.5,
  'the webhook secret is rotated': 0.5,
  'status storm': 2,
  'listing lag': 1,
  'publications fail': 0.7,
  crash: 3,
  'crash at a call': 4,
  pause: 1.5,
  'clock step': 1,
  'webhooks lost': 1,
  'webhooks doubled': 1,
  'webhooks late': 1,
  'webhooks signed with an old secret': 0.5,
  'handlers fail': 1,
  'handlers are slow': 0.5,
} as const;

export type FaultName = keyof typeof faultWeights;
