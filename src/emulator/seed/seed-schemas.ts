import * as z from 'zod/mini';
import type { ObjectSchema } from '../../core/endpoint.js';
import { knownPlatforms } from '../../model/platforms.js';
import { automationLogSchema, automationSchema, eligiblePostSchema } from '../../resources/automations.js';
import { commentSchema } from '../../resources/comments.js';
import { integrationDetailSchema } from '../../resources/integrations.js';
import { conversationSchema, messageSchema } from '../../resources/messages.js';
import { notificationSubscriptionSchema } from '../../resources/notifications.js';
import { knownPostStatuses, postSchema } from '../../resources/posts.js';
import { id, oneOf, once } from '../../schema/fields.js';
import { definition, unwrap, type Schema } from '../../schema/wire.js';
import type { SingleSeeds } from './singles.js';

// JSON seeds, in a file or a request, are written by hand: a misspelt field must be refused. The schemas check names
// and types of fields; the seeds check the rest.

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
  const inner = openFields.includes(name) ? schema : givenInside(schema);
  return z.optional(nullable ? z.nullable(inner) : inner);
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
      date: z.optional(z.string()),
      metrics: z.record(z.string(), z.number()),
      breakdowns: z.optional(z.record(z.string(), z.array(z.looseObject({})))),
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
  subscription: once(() => given(notificationSubscriptionSchema())),
};

// The type of `seedSchemas` has exactly these keys.
export const seedKinds = Object.keys(seedSchemas) as readonly (keyof SingleSeeds)[];
