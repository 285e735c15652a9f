import type { TargetResult } from '../model/targets.js';
import type { CreatePostBody, Post } from '../resources/post-shapes.js';
import type { IntentError, IntentRecord, IntentState, LookupRecord } from './intent-record.js';

/** The last search for the post of an intent in doubt. */
export interface IntentLookup {
  /** When it ended, an ISO 8601 date-time by the clock of the process that searched. */
  readonly at: string;
  /** The earliest time that the search read back to, an ISO 8601 date-time in the service's time. */
  readonly since: string;
  /**
   * `no_match`: since `since`, the list shows no equal post without an owner. `candidates`: the list shows such posts,
   * but the evidence is not sufficient. `failed`: the list could not be read, or no reply had a `Date` header.
   */
  readonly result: 'no_match' | 'candidates' | 'failed';
  /** The IDs of the candidates. */
  readonly postIds?: readonly string[] | undefined;
  /** Why it failed. */
  readonly error?: IntentError | undefined;
}

/** A post to publish once, under a key. */
export interface Intent {
  /** The caller's key: 1 to 512 characters. */
  readonly key: string;
  /** The state. */
  readonly state: IntentState;
  /** The body as it is sent: each `Date` is a string. */
  readonly body: CreatePostBody;
  /** Fields in addition to the typed ones. Missing: none were passed. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The ID of its post. Missing: not known. It never changes, unless an operator passed it and it is not confirmed yet.
   */
  readonly postId?: string | undefined;
  /** Its post, as the last reply or list showed it, without `rawRequestBody`. Missing: no reply or list showed it. */
  readonly post?: Post | undefined;
  /** The result of each target, as `targetResults` returns it. Missing: not known. */
  readonly targets?: readonly TargetResult[] | undefined;
  /** Why the last send, or the last search for its post, failed. Missing: it did not fail. */
  readonly error?: IntentError | undefined;
  /** The last search for its post. Only on an intent in doubt; missing before the first search. */
  readonly lookup?: IntentLookup | undefined;
  /** The number of sends that were started. */
  readonly attempts: number;
  /** When it was first requested, an ISO 8601 date-time by the clock of that process. */
  readonly createdAt: string;
  /** When it last changed, an ISO 8601 date-time by the clock of the process that changed it. */
  readonly updatedAt: string;
  /** Whether it existed before this call. */
  readonly replayed: boolean;
}

/** Makes the public form of an intent. Unknown fields are missing. */
export function intentOf(record: IntentRecord, { replayed }: Pick<Intent, 'replayed'>): Intent {
  const { key, state, body, extraBody, postId, post, targets, error, lookup, attempts } = record;
  const intent: { -readonly [Name in keyof Intent]: Intent[Name] } = {
    key,
    state,
    // The schema of a create accepted it before it was stored.
    body: body as unknown as CreatePostBody,
    attempts,
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    replayed,
  };
  if (extraBody !== undefined) intent.extraBody = extraBody;
  if (postId !== undefined) intent.postId = postId;
  if (post !== undefined) intent.post = post;
  if (targets !== undefined) intent.targets = targets;
  if (error !== undefined) intent.error = error;
  if (lookup !== undefined && state === 'in_doubt') intent.lookup = lookupOf(lookup);
  return intent;
}

function lookupOf({ at, since, result, postIds, error }: LookupRecord): IntentLookup {
  return {
    at: new Date(at).toISOString(),
    since: new Date(since).toISOString(),
    result,
    ...(postIds === undefined ? {} : { postIds }),
    ...(error === undefined ? {} : { error }),
  };
}
