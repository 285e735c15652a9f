import { invalidArgument, issueAt } from '../core/call/options.js';
import type { CreatePostExtraBody } from './create-fields.js';
import * as z from 'zod/mini';
import { InvalidRequestError, isPackageError, type Issue } from '../core/errors.js';
import { hasOffset, momentMessage } from '../model/instant.js';
import type { DateTimeInput } from '../schema/fields.js';
import * as s from '../schema/fields.js';
import { describeIssues, nearestFieldHint } from '../schema/issues.js';
import { safeParse } from '../schema/check.js';
import { toWire } from '../schema/wire.js';
import { SentCreate, type CreateLog } from './create-log.js';
import { createPostBodySchema, type CreatePostBody } from './post-shapes.js';
import { requestOf } from './read-create.js';

/** A create whose error is not available, for example a create of a process that died. */
export interface LostCreate {
  /** The body as it was passed to `posts.create`. */
  readonly body: CreatePostBody;
  /** The `extraBody` that was passed, if any. */
  readonly extraBody?: CreatePostExtraBody | undefined;
  /** When it was sent, by the clock of the sending machine: a `Date`, or an ISO 8601 date-time with its offset. */
  readonly sentAt: DateTimeInput;
  /** The IDs of posts that belong to other creates. */
  readonly exclude?: readonly string[] | undefined;
}

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
 * Reads the argument of `posts.reconcile`. Returns `undefined` if the create made no post.
 * @throws InvalidRequestError the argument does not identify a create
 */
export function readQuestion(log: CreateLog, asked: unknown): Question | undefined {
  if (typeof asked !== 'object' || asked === null) {
    throw invalidArgument('error', typeof asked === 'undefined' ? notOurs : `${primitive} ${otherWay}`);
  }
  const known = log.ofError(asked);
  if (known === 'no_post') return undefined;
  if (known === 'several') {
    throw invalidArgument(
      'error',
      `is the reason that aborted several creates. Pass each create its own signal. ${otherWay}`,
    );
  }
  if (known !== undefined) return { create: known, exclude: new Set() };
  if (isPackageError(asked) && asked.route === '/v1/posts/' && asked.method === 'POST')
    throw invalidArgument('error', `is from another client's create. Call reconcile on that client, or ${lostCreate}.`);
  if (asked instanceof Error || !('body' in asked || 'sentAt' in asked)) throw invalidArgument('error', notOurs);
  return readLostCreate(log, asked);
}

const lostCreate = 'call reconcile({ body, sentAt })';
const otherWay = `If you do not have the error, ${lostCreate}.`;
const notOurs = `must be the error that this client's posts.create rejected with. ${otherWay}`;
const primitive = 'must be an object. Abort a create with an Error, not with a string or a number.';

function readLostCreate(log: CreateLog, asked: object): Question {
  const schema = lostCreateSchema();
  const parsed = safeParse(schema, toWire(schema, asked));
  const issues: Issue[] = parsed.success ? [] : describeIssues(parsed.error.issues, nearestFieldHint(schema));
  // The schema may have refused it: the next line checks its type.
  const { sentAt } = asked as Partial<LostCreate>;
  if (typeof sentAt === 'string' && !hasOffset(sentAt) && !issues.some(({ path }) => path[0] === 'sentAt'))
    issues.push(issueAt(['sentAt'], momentMessage(sentAt)));
  if (!parsed.success || issues.length > 0) throw new InvalidRequestError(issues);

  const exclude = new Set(parsed.data.exclude);
  const create = new SentCreate(JSON.stringify(requestOf(parsed.data)), Date.parse(parsed.data.sentAt));
  return { create: log.ofQuestion(create, exclude), exclude };
}
