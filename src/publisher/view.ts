import type { TargetResult } from '../model/targets.js';
import type { CreatePostBody, Post } from '../resources/post-shapes.js';
import type { IntentError, IntentRecord, IntentState } from './record.js';

/** Something that is to be published once, under a key of the caller's. */
export interface Intent {
  /** The caller's key: 1 to 512 characters. */
  readonly key: string;
  /** Where it stands. */
  readonly state: IntentState;
  /** What is to be published, in its wire form: a `Date` is the string that is sent. */
  readonly body: CreatePostBody;
  /** Fields beside the typed ones. Missing: none were given. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** The ID of its post. Missing: no post is known. Once there, it never changes. */
  readonly postId?: string | undefined;
  /** Its post, as far as the last reply or list told of it, without `rawRequestBody`. Missing: none told of it. */
  readonly post?: Post | undefined;
  /** What became of each target, as `targetResults` gives it. Missing: nothing told of them. */
  readonly targets?: readonly TargetResult[] | undefined;
  /** Why the last send, or the last look for its post, failed. Missing: it did not. */
  readonly error?: IntentError | undefined;
  /** How many sends were begun. */
  readonly attempts: number;
  /** When it was first asked for, an ISO 8601 date-time by the clock of who did. */
  readonly createdAt: string;
  /** When it last changed, an ISO 8601 date-time by the clock of who changed it. */
  readonly updatedAt: string;
  /** Whether it was there before this call. */
  readonly replayed: boolean;
}

/** An intent as callers see it. */
export function intentOf(record: IntentRecord, replayed: boolean): Intent {
  const { key, state, body, extraBody, postId, post, targets, error, attempts, createdAt, updatedAt } = record;
  const intent: { -readonly [Name in keyof Intent]: Intent[Name] } = {
    key,
    state,
    // It went through the schema of a create before it was kept.
    body: body as unknown as CreatePostBody,
    attempts,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    replayed,
  };
  // What is not known is not there.
  if (extraBody !== undefined) intent.extraBody = extraBody;
  if (postId !== undefined) intent.postId = postId;
  if (post !== undefined) intent.post = post;
  if (targets !== undefined) intent.targets = targets;
  if (error !== undefined) intent.error = error;
  return intent;
}
