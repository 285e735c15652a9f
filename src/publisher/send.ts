/** One create: what came of it, in the words of the state machine. */
import { ApiError, InvalidRequestError, SocialPublishingError } from '../core/errors.js';
import type { CreatePostBody } from '../resources/post-shapes.js';
import { sentContent, type Content } from './content.js';
import type { Failure } from './intent.js';
import { newsOfReply } from './news.js';
import type { PublisherClient } from './options.js';
import type { IntentError, IntentRecord, PostNews } from './record.js';
import { skewOf } from './service-clock.js';

/** The service answered with a post. */
export interface Replied {
  readonly news: PostNews;
  readonly skewMs: number | undefined;
}

/** What came of a create that was sent. */
export type Outcome = Replied | { readonly failure: Failure; readonly skewMs: number | undefined };

/** What came of a create. */
export type Sent =
  | Outcome
  /** The client itself refused to send it. */
  | { readonly invalid: InvalidRequestError };

export async function send(client: PublisherClient, record: IntentRecord, now: () => number): Promise<Sent> {
  // A copy: what a client of the caller's own does to it must not get into the note, which is made of the same record.
  const { body, extraBody } = JSON.parse(JSON.stringify(sentContent(record))) as Content;
  try {
    // `body` went through the schema of a create before it was kept.
    const reply = await client.posts.create(body as unknown as CreatePostBody, extraBody && { extraBody });
    return { news: newsOfReply(reply), skewMs: skewOf(reply, now()) };
  } catch (error) {
    if (error instanceof InvalidRequestError) return { invalid: error };
    const skewMs = skewOf(error, now());
    return { failure: failureOf(error, skewMs), skewMs };
  }
}

function failureOf(thrown: unknown, skewMs: number | undefined): Failure {
  const error = describeError(thrown);
  const { status, retryAfterMs } = error;
  if (error.outcome === 'unknown') return { kind: 'unknown', error, skewMs };
  // A client that waits for its own rate limit says so without a reply.
  if (status === 429 || error.name === 'RateLimitError') return { kind: 'rate_limited', error, retryAfterMs };
  if (status === 401 || status === 403) return { kind: 'unauthorized', error };
  return { kind: error.outcome, error };
}

/** An error as the store keeps it. What is no error of this package may be anything: it is in doubt. */
export function describeError(error: unknown): IntentError {
  if (!(error instanceof SocialPublishingError)) {
    // Its message may quote anything, a request with its key too.
    const name = error instanceof Error ? error.name : 'Error';
    return { name, message: `The client ended with ${name}, which is no error of this package.`, outcome: 'unknown' };
  }
  return {
    name: error.name,
    message: error.message,
    outcome: error.outcome,
    ...(error instanceof ApiError ? { status: error.status } : {}),
    ...(error instanceof ApiError && error.retryAfterMs !== undefined ? { retryAfterMs: error.retryAfterMs } : {}),
  };
}
