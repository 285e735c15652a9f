import * as z from 'zod/mini';
import { knownPlatforms } from '../model/platforms.js';
import * as s from './fields.js';
import { knownEventTypes } from '../model/events.js';
import { knownPlatforms } from '../model/platforms.js';

/**
 * A known event's payload, for the emulator and for callers' own checks. `verifyWebhook` adds `known`, and reads without
 * zod, see read.ts.
 */
export const webhookEventSchema = s.once(() =>
  s.reply({
    version: s.string(),
    id: z.string(),
    type: s.oneOf(knownEventTypes),
    createdAt: s.dateTimeReply(),
    projectId: s.string(),
    profileId: s.optional(z.nullable(z.string())),
    data: s.reply({
      post: s.reply({
        id: z.string(),
        status: s.string(),
        content: s.string(),
        scheduledFor: s.optional(z.nullable(z.string())),
        publishedAt: s.optional(z.nullable(z.string())),
        mediaItems: s.optional(
          z.array(
            s.reply({
              type: s.optional(s.open(['image'])),
              url: s.string(),
              thumbnail: s.string(),
              filename: s.string(),
              size: s.integer(),
              mimeType: s.string(),
            }),
          ),
        ),
        links: s.optional(s.reply({ service: s.string(), api: s.string() })),
      }),
      platforms: z.array(
        s.reply({
          platform: s.optional(s.open(knownPlatforms)),
          integrationId: s.string(),
          profileId: s.optional(z.nullable(z.string())),
          status: s.string(),
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
