import * as z from 'zod/mini';
import * as s from './fields.js';
import { knownEventTypes } from '../model/events.js';
import { knownPlatforms } from '../model/known-values.js';

/**
 * The payload of a known event, for the emulator and for callers' checks. `verifyWebhook` adds `known`, and reads
 * without zod, see webhooks/verify/events.ts.
 */
export const webhookEventSchema = s.once(() =>
  s.reply({
    version: s.optionalString(),
    id: z.string(),
    type: s.oneOf(knownEventTypes),
    createdAt: s.optionalReplyDateTime(),
    projectId: s.optionalString(),
    profileId: s.optional(z.nullable(z.string())),
    data: s.reply({
      post: s.reply({
        id: z.string(),
        status: s.optionalString(),
        content: s.optionalString(),
        scheduledFor: s.optional(z.nullable(z.string())),
        publishedAt: s.optional(z.nullable(z.string())),
        mediaItems: s.optional(
          z.array(
            s.reply({
              type: s.optional(s.open(['image'])),
              url: s.optionalString(),
              thumbnail: s.optionalString(),
              filename: s.optionalString(),
              size: s.optionalInteger(),
              mimeType: s.optionalString(),
            }),
          ),
        ),
        links: s.optional(s.reply({ service: s.optionalString(), api: s.optionalString() })),
      }),
      platforms: z.array(
        s.reply({
          platform: s.optional(s.open(knownPlatforms)),
          integrationId: s.optionalString(),
          profileId: s.optional(z.nullable(z.string())),
          status: s.optionalString(),
          platformPostId: s.optional(z.nullable(z.string())),
          platformPostUrl: s.optional(z.nullable(z.string())),
          publishedAt: s.optional(z.nullable(z.string())),
          errorMessage: s.optional(z.nullable(z.string())),
          warningMessage: s.optional(z.nullable(z.string())),
        }),
      ),
    }),
  }),
);
