import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import { route } from './route.js';
import { incomingCommentSchema, incomingMessageSchema } from '../../seed/incoming.js';

const params = { id: { description: 'The ID of the integration.' } };

const reply = {
  description: 'The integration as the service lists it.',
  schema: once(() => z.looseObject({ id: z.string() })),
};

const failureBody = once(() => z.strictObject({ reason: z.optional(z.string()) }));

const accountRoute = (action: 'expire' | 'reconnect', summary: string) =>
  route({
    route: `POST /accounts/{id}/${action}`,
    summary,
    params,
    reply,
    answer: ({ service, param }) => service.accounts[action](param('id')),
  });

export const accountRoutes = [
  accountRoute('expire', 'Expires the token of an account: its publications fail until it is connected again.'),
  route({
    route: 'POST /accounts/{id}/fail',
    summary: 'Fails the authorization of an account: its publications fail until it is connected again.',
    params,
    body: failureBody,
    bodyOptional: true,
    reply,
    answer: ({ service, param, body }) => service.accounts.fail(param('id'), body),
  }),
  accountRoute('reconnect', 'Connects an account again, with a new token.'),
];

const shown = () => z.looseObject({ id: z.string() });

export const incomingRoutes = [
  route({
    route: 'POST /incoming/comment',
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
    route: 'POST /incoming/message',
    summary: "Adds a user's direct message to an Instagram account, in an existing or a new conversation.",
    body: incomingMessageSchema,
    reply: {
      description: 'The message, and the ID of its conversation.',
      schema: once(() => z.strictObject({ message: shown(), conversationId: z.string() })),
    },
    answer: ({ service, body }) => service.incoming.message(body),
  }),
];
