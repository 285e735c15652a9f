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
const optionalText = () => z.optional(z.string());
const dateTime = () =>
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), { error: 'must be a date-time' }));
const eventType = () => z.enum(knownEventTypes);

const post = () =>
  z.looseObject({
    postId: z.string(),
    order: z.number(),
    content: optionalText(),
    status: z.enum(knownPostStatuses),
    scheduledFor: z.optional(dateTime()),
    dueAt: z.optional(z.number()),
    dueOrder: z.optional(z.number()),
    timezone: z.string(),
    mediaItems: z.array(z.looseObject({})),
    crosspostingEnabled: z.boolean(),
    rawRequestBody: z.looseObject({}),
    createdAt: dateTime(),
    updatedAt: dateTime(),
    targets: z.array(z.looseObject({ platform: z.string(), accountId: z.string(), status: z.string() })),
    originallyScheduled: z.boolean(),
    listedAt: z.optional(z.number()),
    credits: z.number(),
  });

const event = () =>
  z.looseObject({
    id: z.string(),
    type: eventType(),
    subscriptionId: z.string(),
    body: z.string(),
    delayed: z.optional(z.boolean()),
  });

const due = { at: z.number(), order: z.number() };
const job = () =>
  z.discriminatedUnion('kind', [
    z.looseObject({ ...due, kind: z.literal('publish'), postId: z.string() }),
    z.looseObject({ ...due, kind: z.literal('finish'), postId: z.string() }),
    z.looseObject({ ...due, kind: z.literal('expire'), accountId: z.string() }),
    z.looseObject({ ...due, kind: z.literal('answer'), automationId: z.string(), logId: z.string() }),
    z.looseObject({ ...due, kind: z.literal('scenario'), step: z.looseObject({}) }),
  ]);
const sending = () => z.looseObject({ ...due, kind: z.literal('deliver'), event: event(), attempt: z.number() });

const request = () =>
  z.looseObject({
    order: z.number(),
    record: z.looseObject({
      id: z.string(),
      method: z.string(),
      url: z.string(),
      path: z.string(),
      at: dateTime(),
      reply: z.optional(z.looseObject({ headers: z.record(z.string(), z.string()), body: z.string() })),
    }),
  });

const delivery = () =>
  z.looseObject({
    order: z.number(),
    number: z.number(),
    delivery: z.looseObject({
      id: z.string(),
      subscriptionId: z.string(),
      eventId: z.string(),
      eventType: eventType(),
      attempt: z.number(),
      url: z.string(),
      at: dateTime(),
      ok: z.boolean(),
      headers: z.record(z.string(), z.string()),
      body: z.string(),
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
      id: z.string(),
      accountId: z.string(),
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
      accountId: z.string(),
      date: z.string(),
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
      platform: optionalText(),
      accountId: optionalText(),
      postId: optionalText(),
      error: optionalText(),
      warning: optionalText(),
      left: z.optional(z.number()),
      until: z.optional(z.number()),
      // Earlier versions did not store it.
      struck: z.optional(z.number()),
    }),
  ),
  jobs: z.array(job()),
  outgoing: z.array(sending()),
  underWay: table(z.looseObject({ event: event(), attempt: z.number() })),
  held: table(z.array(event())),
  requests: z.array(request()),
  deliveries: z.array(delivery()),
  faults: table(fault()),
  deliveryFaults: table(fault()),
});

export const stateSchema = once(() =>
  z.looseObject({
    time: z.number(),
    random: z.int(),
    creditsUsed: z.number(),
    publishingMs: z.number().check(z.minimum(0)),
    counters: z.record(z.string(), z.number()),
    ...records(),
    ...doings(),
  }),
);
