/**
 * Where a publisher stands in its work, for tests: a crash at a step is a process that never returns from the hook.
 *
 * - `mark`: about to note that it will send.
 * - `marked`: noted; nothing is sent yet.
 * - `replied`: the service answered with a post; nothing of that is noted.
 * - `claimed`: the post is claimed; the intent doesn't know it yet. Left out where both are one write.
 * - `noted`: what came of the send is noted.
 * - `looking`: about to read the list.
 * - `looked`: read, and what was found is claimed; nothing of that is noted.
 */
export type StepName = 'mark' | 'marked' | 'replied' | 'claimed' | 'noted' | 'looking' | 'looked';

/** What tests put in their own hands. */
export interface Internals {
  /** Is called at each step, and awaited. */
  readonly onStep?: ((name: StepName, key: string) => void | Promise<void>) | undefined;
  /** Waits before a note is tried again that the store did not take. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
}
