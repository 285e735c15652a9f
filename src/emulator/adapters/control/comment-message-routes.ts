import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import { incomingCommentSchema, incomingMessageSchema } from '../../seed/incoming.js';
import { route } from './route.js';

const shown = () => z.looseObject({ id: z.string() });

export const incomingRoutes = [
  route({
    method: 'POST',
    path: '/incoming/comment',
    summary: 'Somebody comments on a post, which sets off the automations that it matches.',
    body: incomingCommentSchema,
    reply: {
      description: 'The comment, and the runs that it began: each is over after a second of the clock.',
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
    summary: 'Somebody writes a direct message to an Instagram account, in a conversation that is there or begins.',
    body: incomingMessageSchema,
    reply: {
      description: 'The message, and the ID of its conversation.',
      schema: once(() => z.strictObject({ message: shown(), conversationId: z.string() })),
    },
    answer: ({ service, body }) => service.incoming.message(body),
  }),
];
