import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import { incomingCommentSchema, incomingMessageSchema } from '../../seed/incoming.js';
import { route } from './route.js';

const shown = () => z.looseObject({ id: z.string() });

export const incomingRoutes = [
  route({
    method: 'POST',
    path: '/incoming/comment',
    summary: "Adds a user's comment to a post, and triggers the automations that it matches.",
    body: incomingCommentSchema,
    reply: {
      description: 'The comment, and the runs that it began: each ends after a second of the clock.',
      schema: once(() =>
        z.strictObject({
          comment: shown(),
          runs: z.array(z.strictObject({ automationId: z.string(), log: shown() })),
        }),
      ),
    },
    answer: ({ service, body }) => service.incoming.comment(body),
  }),
  route({
    method: 'POST',
    path: '/incoming/message',
    summary: "Adds a user's direct message to an Instagram account, in an existing or a new conversation.",
    body: incomingMessageSchema,
    reply: {
      description: 'The message, and the ID of its conversation.',
      schema: once(() => z.strictObject({ message: shown(), conversationId: z.string() })),
    },
    answer: ({ service, body }) => service.incoming.message(body),
  }),
];
