import type { CreatePostExtraBody } from './create-fields.js';
import * as z from 'zod/mini';
import { InvalidRequestError, SocialPublishingError, type Issue } from '../core/errors.js';
import { hasOffset, momentMessage } from '../model/instant.js';
import type { DateTimeInput } from '../schema/fields.js';
import * as s from '../schema/fields.js';
import { describeIssues, nearestFieldHint } from '../schema/issues.js';
import { safeParse } from '../schema/parse.js';
import { toWire } from '../schema/wire.js';
import { SentCreate, type CreateLog } from './create-log.js';
import { clockMarginMs } from './created-window.js';
import { createPostBodySchema, type CreatePostBody } from './post-shapes.js';

/** A create whose error is not at hand, for example of a process that died. */
export interface LostCreate {
  /** The body as it was given to `posts.create`. */
  readonly body: CreatePostBody;
  /** The `extraBody` that it was given, if any. */
  readonly extraBody?: CreatePostExtraBody | undefined;
  /** When it was sent, by the clock of the machine that sent it: a `Date`, or an ISO 8601 date-time with its offset. */
  readonly sentAt: DateTimeInput;
  /** The IDs of posts that are known as other creates'. */
  readonly exclude?: readonly string[] | undefined;
}

/** A create to look for, and the posts that it is known not to have made. */
export interface Question {
  readonly create: SentCreate;
  readonly exclude: ReadonlySet<string>;
}

const lostCreateSchema = s.once(() =>
  z.strictObject({
    body: createPostBodySchema(),
    extraBody: s.optionalFreeForm(),
    sentAt: s.dateTime(),
    exclude: s.optionalStrings(),
  }),
);

/**
 * Reads what `posts.reconcile` is asked with; `undefined`: there is no post to look for.
 * @throws InvalidRequestError it says of no create what it sent
 */
export function readQuestion(log: CreateLog, asked: unknown): Question | undefined {
  if (typeof asked !== 'object' || asked === null) {
    throw invalid('error', typeof asked === 'undefined' ? notOurs : `${primitive} ${otherWay}`);
  }
  const known = log.ofError(asked);
  if (known === 'no_post') return undefined;
  if (known === 'several') {
    throw invalid(
      'error',
      `is the reason with which several creates were aborted: give each a signal of its own. ${otherWay}`,
    );
  }
  if (known !== undefined) return { create: known, exclude: new Set() };
  if (asked instanceof SocialPublishingError && asked.route === '/v1/posts/' && asked.method === 'POST')
    throw invalid('error', `is of another client's create. Ask the client that made it. ${otherWay}`);
  if (asked instanceof Error || !('body' in asked || 'sentAt' in asked)) throw invalid('error', notOurs);
  return readLostCreate(log, asked);
}

const otherWay = 'Where the error is not at hand, give { body, sentAt } in its place.';
const notOurs = `must be what this client's posts.create was rejected with. ${otherWay}`;
const primitive = 'must be an object: abort a create with an Error, and not with a text or a number.';

function readLostCreate(log: CreateLog, asked: object): Question {
  const schema = lostCreateSchema();
  const parsed = safeParse(schema, toWire(schema, asked));
  const issues: Issue[] = parsed.success ? [] : describeIssues(parsed.error.issues, nearestFieldHint(schema));
  const { sentAt } = asked as Partial<LostCreate>;
  if (typeof sentAt === 'string' && !hasOffset(sentAt) && !issues.some(({ path }) => path[0] === 'sentAt'))
    issues.push({ path: ['sentAt'], message: momentMessage(sentAt) });
  if (!parsed.success || issues.length > 0) throw new InvalidRequestError(issues);

  const { body, extraBody } = parsed.data;
  const exclude = new Set(parsed.data.exclude);
  const create = new SentCreate(JSON.stringify({ ...body, ...extraBody }), Date.parse(parsed.data.sentAt));
  return { create: log.ofQuestion(create, exclude, clockMarginMs), exclude };
}

function invalid(name: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path: [name], message }]);
}
