import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import { route } from './route.js';

const params = { id: { description: 'The ID of the integration.' } };

const reply = {
  description: 'The integration as the service lists it.',
  schema: once(() => z.looseObject({ id: z.string() })),
};

const failureBody = once(() => z.strictObject({ reason: z.optional(z.string()) }));

export const accountRoutes = [
  route({
    method: 'POST',
    path: '/accounts/{id}/expire',
    summary: 'Expires the token of an account: its publications fail until it is connected again.',
    params,
    reply,
    answer: ({ service, param }) => service.accounts.expire(param('id')),
  }),
  route({
    method: 'POST',
    path: '/accounts/{id}/fail',
    summary: 'Fails the authorization of an account: its publications fail until it is connected again.',
    params,
    body: failureBody,
    bodyOptional: true,
    reply,
    answer: ({ service, param, body }) => service.accounts.fail(param('id'), body),
  }),
  route({
    method: 'POST',
    path: '/accounts/{id}/reconnect',
    summary: 'Connects an account again, with a new token.',
    params,
    reply,
    answer: ({ service, param }) => service.accounts.reconnect(param('id')),
  }),
];
