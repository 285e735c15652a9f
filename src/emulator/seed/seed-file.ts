import { isFields } from '../../core/json.js';
import { formatIssues } from '../../core/errors.js';
import { optional, optionIssues, optionsOf } from '../../core/call/options.js';
import { describeIssues, nearestFieldHint } from '../../schema/issues.js';
import { safeParse } from '../../schema/check.js';
import type { SingleSeeds } from './singles.js';
import * as z from 'zod/mini';
import type { ObjectSchema } from '../../core/call/endpoint.js';
import { knownEventTypes } from '../../model/events.js';
import { instantOf, missingDay } from '../../model/instant.js';
import { knownPlatforms, knownPostStatuses } from '../../model/known-values.js';
import { automationLogSchema, automationSchema, eligiblePostSchema } from '../../resources/automations.js';
import { commentSchema } from '../../resources/comments.js';
import { integrationDetailSchema } from '../../resources/integrations.js';
import { conversationSchema, messageSchema } from '../../resources/messages.js';
import { notificationSubscriptionSchema } from '../../resources/notifications.js';
import { postSchema } from '../../posts/posts.js';
import { id, oneOf, once } from '../../schema/fields.js';
import { definition, unwrap, type Schema } from '../../schema/wire.js';

/**
 * The contents of a seed file: many seeds of each kind, each with the arguments of `seed.integration` and the other
 * methods.
 */
export type SeedFile = {
  readonly [Plural in keyof typeof kindOf]?: readonly Parameters<SingleSeeds[(typeof kindOf)[Plural]]>[0][];
};

/** The names in a file, in seeding order: referenced kinds come first. */
const kindOf = {
  integrations: 'integration',
  subscriptions: 'subscription',
  selections: 'selection',
  posts: 'post',
  comments: 'comment',
  conversations: 'conversation',
  messages: 'message',
  eligiblePosts: 'eligiblePost',
  automations: 'automation',
  automationLogs: 'automationLog',
  metrics: 'metrics',
} as const satisfies Readonly<Record<string, keyof SingleSeeds>>;

const isArray = optional('an array', Array.isArray);
const seedFile = optionsOf(
  'a part of a seed file',
  Object.fromEntries(Object.keys(kindOf).map((name) => [name, isArray])),
);

/** Seeds everything in a file. Returns the problems, each with its path: `posts[1]: ...`. */
export function seedAll(seeds: SingleSeeds, file: unknown): string[] {
  if (!isFields(file)) return [`must be an object with ${Object.keys(kindOf).join(', ')}`];
  const problems = optionIssues(seedFile, file).map(({ message }) => message);
  for (const [plural, kind] of Object.entries(kindOf)) {
    const entries: unknown = file[plural];
    if (Array.isArray(entries)) for (const problem of seedEach(seeds, plural, kind, entries)) problems.push(problem);
  }
  return problems;
}

/** A wrong field in a file of 10,000 posts would fill hundreds of screens. */
const mostListed = 10;

/** Writes problems in one text, at most `mostListed` of them. */
export function listProblems(problems: readonly string[]): string {
  const listed = problems.slice(0, mostListed);
  const others = problems.length - listed.length;
  return [...listed, ...(others > 0 ? [`${String(others)} more problems`] : [])].join('; ');
}

/** Adds a record. The schema of its kind has checked its fields, and the seed itself checks the rest. */
export function seedOne(seeds: object, kind: string, fields: object): unknown {
  return (seeds as Readonly<Record<string, (fields: object) => unknown>>)[kind]?.(fields);
}

function seedEach(seeds: SingleSeeds, plural: string, kind: keyof SingleSeeds, entries: readonly unknown[]): string[] {
  return entries.flatMap((entry, index) => {
    const place = `${plural}[${String(index)}]`;
    const schema = seedSchemas[kind]();
    const result = safeParse(schema, entry);
    if (!result.success)
      return [`${place}: ${formatIssues(describeIssues(result.error.issues, nearestFieldHint(schema)))}`];
    return problemsOf(place, () => seedOne(seeds, kind, result.data));
  });
}

/** Runs a task. Returns its error as a problem of a place, if it throws one. */
export function problemsOf(place: string, task: () => unknown): string[] {
  try {
    task();
    return [];
  } catch (error) {
    return [`${place}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

// The schemas check the names, types and values of fields. The seeds check the rest, such as references. JSON seeds, in a
// file or a request, are written by hand: they may contain no other fields.

type Shape = Record<string, Schema>;

/** Objects that may contain undocumented fields. */
const openFields: readonly string[] = ['mediaItems', 'rawRequestBody', 'platformMetadata'];

/** Converts a reply's schema into an input schema: any of its fields, and no others. */
function given(schema: ObjectSchema, more: Shape = {}, without: readonly string[] = []): z.ZodMiniType<object> {
  const own = Object.entries(schema.shape).filter(([name]) => !without.includes(name));
  return z.strictObject({
    ...Object.fromEntries(own.map(([name, field]) => [name, givenField(name, field)])),
    ...more,
  });
}

function givenField(name: string, field: Schema): Schema {
  const { schema, nullable } = unwrap(field);
  // The API document shows no format for the time of a comment's reply.
  const isTime = z.globalRegistry.get(schema)?.['format'] === 'date-time' || name === 'timestamp';
  const inner = isTime ? dateTime() : openFields.includes(name) ? schema : givenInside(schema);
  return z.optional(nullable ? z.nullable(inner) : inner);
}

const timeError =
  (expected: string) =>
  ({ input }: { readonly input?: unknown }) =>
    (typeof input === 'string' ? missingDay(input) : undefined) ?? expected;

/** A date-time of a reply, which may lack its offset. */
function dateTime(): Schema {
  const error = timeError('must be an ISO 8601 date-time string');
  const isTime = (text: string) => text[10] === 'T' && missingDay(text) === undefined && instantOf(text) !== undefined;
  return z.string({ error }).check(z.refine(isTime, { error })).register(z.globalRegistry, { format: 'date-time' });
}

function givenInside(schema: Schema): Schema {
  const def = definition(schema);
  // Its definition shows that it is a schema of an object.
  if (def.type === 'object') return given(schema as unknown as ObjectSchema);
  return def.type === 'array' ? z.array(givenInside(def.element)) : schema;
}

const ofAccount = () => ({ accountId: id() });
const platform = () => oneOf(knownPlatforms);

function postTarget(): Schema {
  const targets = unwrap(postSchema().shape.platforms).schema;
  const def = definition(targets);
  if (def.type !== 'array') throw new TypeError('The platforms of a post must be an array.');
  // A target is an object.
  return given(def.element as unknown as ObjectSchema, { platform: platform(), accountId: z.optional(id()) });
}

export const seedSchemas: { readonly [Kind in keyof SingleSeeds]: () => z.ZodMiniType<object> } = {
  integration: once(() => given(integrationDetailSchema(), { platform: platform() })),
  post: once(() =>
    given(postSchema(), {
      status: z.optional(oneOf(knownPostStatuses)),
      platforms: z.optional(z.array(postTarget())),
    }),
  ),
  comment: once(() => given(commentSchema(), { ...ofAccount(), postId: id() })),
  conversation: once(() => given(conversationSchema(), ofAccount(), ['lastMessage'])),
  message: once(() => given(messageSchema(), { ...ofAccount(), conversationId: id() })),
  eligiblePost: once(() => given(eligiblePostSchema(), ofAccount())),
  metrics: once(() =>
    z.strictObject({
      postId: z.optional(id()),
      accountId: z.optional(id()),
      platform: z.optional(platform()),
      date: z.optional(z.iso.date({ error: timeError("must be a calendar day as 'YYYY-MM-DD'") })),
      metrics: z.record(z.string(), z.optional(z.number())),
      breakdowns: z.optional(z.record(z.string(), z.optional(z.array(z.looseObject({}))))),
    }),
  ),
  automation: once(() => given(automationSchema(), ofAccount())),
  automationLog: once(() => given(automationLogSchema(), { automationId: id() })),
  selection: once(() =>
    z.strictObject({
      platform: oneOf(['facebook', 'instagram']),
      // Without it, the type of the result would repeat all fields.
      accounts: z.array(given(integrationDetailSchema(), { id: id() }) as Schema),
      token: z.optional(z.string()),
      redirectUri: z.optional(z.string()),
    }),
  ),
  subscription: once(() =>
    given(notificationSubscriptionSchema(), {
      channel: z.optional(oneOf(['webhook', 'email'])),
      eventTypes: z.optional(z.array(oneOf(knownEventTypes))),
    }),
  ),
};

// The type of `seedSchemas` has exactly these keys.
export const seedKinds = Object.keys(seedSchemas) as readonly (keyof SingleSeeds)[];
