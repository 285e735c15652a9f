import * as z from 'zod/mini';
import { oauthAppSchema } from '../../resources/apps.js';
import { automationLogSchema, automationSchema, eligiblePostSchema } from '../../resources/automations.js';
import { commentSchema } from '../../resources/comments.js';
import { integrationDetailSchema } from '../../resources/integrations.js';
import { messageSchema } from '../../resources/messages.js';
import { notificationSubscriptionSchema } from '../../resources/notifications.js';
import { knownPostStatuses } from '../../model/known-values.js';
import { knownEventTypes } from '../../model/events.js';
import { once } from '../../schema/fields.js';

// The rules that a state must meet for the service to work. Unused fields may have any value.

const table = <T extends z.core.$ZodType>(record: T) => z.array(z.tuple([z.string(), record]));
const family = <T extends z.core.$ZodType>(record: T) => z.array(z.tuple([z.string(), z.array(record)]));
const dateTime = () =>
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), { error: 'must be a date-time' }));
const eventType = () => z.enum(knownEventTypes);

/** Fields of the same type. */
const each = (field: () => z.ZodMiniType, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, field()]));
const maybe = (field: () => z.ZodMiniType) => () => z.optional(field());
const texts = (...names: readonly string[]) => each(z.string, ...names);
const numbers = (...names: readonly string[]) => each(z.number, ...names);

const post = () =>
  z.looseObject({
    ...texts('postId', 'timezone'),
    ...numbers('order', 'credits'),
    ...each(z.boolean, 'crosspostingEnabled', 'originallyScheduled'),
    ...each(dateTime, 'createdAt', 'updatedAt'),
    ...each(maybe(z.number), 'dueAt', 'dueOrder', 'listedAt'),
    content: z.optional(z.string()),
    scheduledFor: z.optional(dateTime()),
    status: z.enum(knownPostStatuses),
    mediaItems: z.array(z.looseObject({})),
    rawRequestBody: z.looseObject({}),
    targets: z.array(z.looseObject(texts('platform', 'accountId', 'status'))),
  });

const event = () =>
  z.looseObject({ ...texts('id', 'subscriptionId', 'body'), type: eventType(), delayed: z.optional(z.boolean()) });

const job = (kind: string, fields: Readonly<Record<string, z.ZodMiniType>>) =>
  z.looseObject({ ...numbers('at', 'order'), kind: z.literal(kind), ...fields });
const anyJob = () =>
  z.discriminatedUnion('kind', [
    job('publish', texts('postId')),
    job('finish', texts('postId')),
    job('expire', texts('accountId')),
    job('answer', texts('automationId', 'logId')),
    job('scenario', { step: z.looseObject({}) }),
  ]);

const headers = () => z.record(z.string(), z.string());

const request = () =>
  z.looseObject({
    order: z.number(),
    record: z.looseObject({
      ...texts('id', 'method', 'url', 'path'),
      at: dateTime(),
      reply: z.optional(z.looseObject({ headers: headers(), body: z.string() })),
    }),
  });

const delivery = () =>
  z.looseObject({
    ...numbers('order', 'number'),
    delivery: z.looseObject({
      ...texts('id', 'subscriptionId', 'eventId', 'url', 'body'),
      attempt: z.number(),
      eventType: eventType(),
      at: dateTime(),
      ok: z.boolean(),
      headers: headers(),
    }),
  });

const fault = () => z.looseObject({ id: z.string(), fault: z.looseObject({ kind: z.string() }), struck: z.number() });

const metrics = () => z.record(z.string(), z.number());

/** The records of the service. */
const records = () => ({
  integrations: table(integrationDetailSchema()),
  apps: table(oauthAppSchema()),
  posts: z.array(post()),
  comments: family(commentSchema()),
  conversations: table(
    z.looseObject({
      ...texts('id', 'accountId'),
      participants: z.array(z.looseObject({})),
      updatedTime: dateTime(),
    }),
  ),
  messages: family(messageSchema()),
  automations: table(automationSchema()),
  logs: family(automationLogSchema()),
  eligiblePosts: family(eligiblePostSchema()),
  postMetrics: table(z.array(z.looseObject({ at: dateTime(), metrics: metrics() }))),
  accountMetrics: table(
    z.looseObject({
      ...texts('accountId', 'date'),
      metrics: metrics(),
      breakdowns: z.record(z.string(), z.array(z.looseObject({}))),
    }),
  ),
  selections: table(
    z.looseObject({
      platform: z.enum(['facebook', 'instagram']),
      accounts: z.array(z.looseObject({ id: z.string() })),
      redirectUri: z.string(),
      used: z.boolean(),
    }),
  ),
  subscriptions: table(notificationSubscriptionSchema()),
});

/** The plans for later times, and the traffic so far. */
const doings = () => ({
  outcomes: table(
    z.looseObject({
      ...each(maybe(z.string), 'platform', 'accountId', 'postId', 'error', 'warning'),
      // Earlier versions did not store `struck`.
      ...each(maybe(z.number), 'left', 'until', 'struck'),
    }),
  ),
  jobs: z.array(anyJob()),
  outgoing: z.array(job('deliver', { event: event(), attempt: z.number() })),
  underWay: table(z.looseObject({ event: event(), attempt: z.number() })),
  held: table(z.array(event())),
  requests: z.array(request()),
  deliveries: z.array(delivery()),
  faults: table(fault()),
  deliveryFaults: table(fault()),
});

export const stateSchema = once(() =>
  z.looseObject({
    ...numbers('time', 'creditsUsed'),
    random: z.int(),
    publishingMs: z.number().check(z.minimum(0)),
    counters: z.record(z.string(), z.number()),
    ...records(),
    ...doings(),
  }),
);
