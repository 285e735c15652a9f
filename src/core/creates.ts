import type { Outcome } from './errors.js';

/** What a client remembers of its creates, for `posts.reconcile`. Clients made by `withOptions` share it. */
export interface CreateMemory {
  /** Posts that a create of this client answered with, or that a reconcile found. */
  readonly knownPostIds: Set<string>;
  /** What was sent, by the error that the create ended with; `several` where more than one was aborted for the same reason. */
  readonly failed: WeakMap<object, SentCreate | 'several'>;
}

/** A create whose reply did not come. */
export interface SentCreate {
  readonly body: Readonly<Record<string, unknown>>;
  readonly outcome: Outcome;
  /** When it was sent, in milliseconds since 1970 by this machine's clock. */
  readonly sentAt: number;
}
