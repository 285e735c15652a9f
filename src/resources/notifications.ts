import * as z from 'zod/mini';
import { endpoint } from '../core/call/endpoint.js';
import { Resource, type RequestOptions } from '../core/call/transport.js';
import { carryResponse } from '../core/call/response.js';
import * as s from '../schema/fields.js';
import { knownEventTypes, type EventType, type KnownEventType } from '../model/events.js';

/** How a subscriber is notified (Notification subscription). */
export type NotificationChannel = 'webhook' | 'email';

const channels: readonly NotificationChannel[] = ['webhook', 'email'];

/** The destination of a webhook subscription (Notification subscription). */
export interface NotificationWebhook {
  /** The address that events are posted to. */
  url?: string | undefined;
  /**
   * The signing secret. Only the reply to the create contains the whole secret, so keep it then. Lists show it masked.
   */
  secret?: string | undefined;
}

/** The destination of an email subscription (Notification subscription). */
export interface NotificationEmail {
  /** The addresses. */
  recipients?: string[] | undefined;
}

/** A subscription to events of posts (Notification subscription). */
export interface NotificationSubscription {
  /** The subscription's ID. */
  id: string;
  /** How the subscriber is notified. */
  channel?: NotificationChannel | (string & {}) | undefined;
  /** Events show only the targets connected to this profile. Missing: all targets. */
  profileId?: string | undefined;
  /** The events that it receives. */
  eventTypes?: EventType[] | undefined;
  /** `true`: only posts that were scheduled cause final events. */
  onlyScheduledPosts?: boolean | undefined;
  /** Whether it is on. */
  enabled?: boolean | undefined;
  /** The destination with `channel` `webhook`. */
  webhook?: NotificationWebhook | undefined;
  /** The destination with `channel` `email`. */
  email?: NotificationEmail | undefined;
  /** When it was last tested, an ISO 8601 date-time. Missing: never. */
  lastTestAt?: string | undefined;
  /** The result of the last test. Its values are not documented. */
  lastTestStatus?: string | undefined;
  /** When it was created, an ISO 8601 date-time. */
  createdAt?: string | undefined;
  /** When it was last changed, an ISO 8601 date-time. */
  updatedAt?: string | undefined;
}

/** The address of a new webhook subscription (POST /v1/notifications/). */
export interface NotificationWebhookInput {
  /** The address to post events to, a URL. */
  url: string;
}

/**
 * A new subscription (POST /v1/notifications/). The profile filter, `onlyScheduledPosts`, `enabled` and email
 * recipients are mentioned by the API document, but not shown in the request: send them through `extraBody`.
 */
export interface CreateNotificationBody {
  /** How to notify the subscriber. */
  channel?: NotificationChannel | undefined;
  /** The events to send. */
  eventTypes?: readonly KnownEventType[] | undefined;
  /** The destination with `channel` `webhook`. */
  webhook?: NotificationWebhookInput | undefined;
}

export const notificationSubscriptionSchema = s.once(() =>
  s.reply({
    id: s.id(),
    channel: s.optional(s.open(channels)),
    profileId: s.optionalString(),
    eventTypes: s.optional(z.array(s.open(knownEventTypes))),
    onlyScheduledPosts: s.optionalBoolean(),
    enabled: s.optionalBoolean(),
    webhook: s.optional(s.reply({ url: s.optionalUri(), secret: s.optionalString() })),
    email: s.optional(s.reply({ recipients: s.optional(z.array(s.formatted('email'))) })),
    lastTestAt: s.optionalReplyDateTime(),
    lastTestStatus: s.optionalString(),
    createdAt: s.optionalReplyDateTime(),
    updatedAt: s.optionalReplyDateTime(),
  }),
);

export const createNotificationBodySchema = s.once(() =>
  z.strictObject({
    channel: z.optional(s.oneOf(channels)),
    eventTypes: z.optional(z.array(s.oneOf(knownEventTypes))),
    webhook: z.optional(z.strictObject({ url: z.url() })),
  }),
);

export const createNotificationResponseSchema = s.once(() =>
  s.envelope({ notification: notificationSubscriptionSchema() }),
);

export const notificationEndpoints = {
  create: endpoint({
    route: 'POST /v1/notifications/',
    summary: 'Creates a webhook or email subscription to events of posts.',
    body: createNotificationBodySchema,
    response: createNotificationResponseSchema,
    retry: 'once',
  }),
};

/** Subscriptions to events of posts. A plain object can implement it in tests. */
export interface Notifications extends Pick<NotificationsResource, keyof NotificationsResource> {}

/** Subscriptions to events of posts, by webhook or email. */
export class NotificationsResource extends Resource {
  /**
   * Creates a webhook or email subscription and resolves to it. Keep `webhook.secret` then: later it is only shown masked.
   * It is never retried once it may have reached the service: see `error.outcome`.
   *
   * API document: Notifications, POST /v1/notifications/.
   *
   * @example
   * ```ts
   * const { webhook } = await client.notifications.create({
   *   channel: 'webhook',
   *   eventTypes: ['post.published', 'post.partial', 'post.failed'],
   *   webhook: { url: 'https://example.com/hooks' },
   * });
   * console.log(webhook?.secret); // shown only now: store it
   * ```
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   * @throws {@link ApiError} the service refused
   */
  async create(body: CreateNotificationBody, options?: RequestOptions): Promise<NotificationSubscription> {
    const response = await this.transport.call(notificationEndpoints.create, { body }, options);
    return carryResponse(response, response.notification);
  }
}
