import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import type { Emulator } from '../../emulator.js';
import type { Delivery } from '../../service/traffic.js';
import { shownRequest } from '../../service/shown-request.js';
import { eventStream } from './event-stream.js';
import { route } from './route.js';

const most = 10_000;
const defaultLimit = 100;
const mostReplays = 10;

const limitQuery = once(() => z.strictObject({ limit: z.optional(z.int().check(z.minimum(1), z.maximum(most))) }));

const recordSchema = once(() => z.looseObject({ id: z.string(), at: z.iso.datetime() }));
const deliveriesReply = (description: string) => ({
  description,
  schema: once(() => z.strictObject({ deliveries: z.array(recordSchema()) })),
});

const removed = {
  description: 'How many were forgotten.',
  schema: once(() => z.strictObject({ removed: z.number() })),
};

function forget(service: Emulator, what: 'requests' | 'deliveries'): { removed: number } {
  const count = (what === 'requests' ? service.latestRequests(Infinity) : service.latestDeliveries(Infinity)).length;
  service.clear({ [what]: true });
  return { removed: count };
}

const replayBody = once(() =>
  z.strictObject({ times: z.optional(z.int().check(z.minimum(1), z.maximum(mostReplays))) }),
);
export const trafficRoutes = [
  route({
    method: 'GET',
    path: '/requests',
    summary: 'Lists the latest requests, the oldest of them first.',
    query: limitQuery,
    reply: {
      description: 'The requests, each with its reply and the faults that hit it.',
      schema: once(() => z.strictObject({ requests: z.array(recordSchema()) })),
    },
    answer: ({ service, query }) => {
      const latest = service.latestRequests(query.limit ?? defaultLimit);
      return { requests: latest.map((record) => shownRequest(record, service.accessKeys)) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/requests',
    summary: 'Forgets the requests that came so far.',
    reply: removed,
    answer: ({ service }) => forget(service, 'requests'),
  }),
  route({
    method: 'GET',
    path: '/deliveries',
    summary: 'Lists the latest attempts at webhook deliveries, the oldest of them first.',
    query: limitQuery,
    reply: deliveriesReply('The attempts, each with what was sent and what came of it.'),
    answer: ({ service, query }) => ({ deliveries: service.latestDeliveries(query.limit ?? defaultLimit) }),
  }),
  route({
    method: 'DELETE',
    path: '/deliveries',
    summary: 'Forgets the deliveries that were made so far.',
    reply: removed,
    answer: ({ service }) => forget(service, 'deliveries'),
  }),
  route({
    method: 'POST',
    path: '/deliveries/{id}/replay',
    summary:
      'Sends a delivery once more, or several times one after the other: the same event, signed anew. It is not retried.',
    params: { id: { description: 'The ID of the delivery.' } },
    body: replayBody,
    bodyOptional: true,
    reply: deliveriesReply('The new deliveries.'),
    async answer({ service, param, body }) {
      const deliveries: Delivery[] = [];
      for (let sent = 0; sent < (body.times ?? 1); sent += 1) deliveries.push(await service.replay(param('id')));
      return { deliveries };
    },
  }),
  route({
    method: 'GET',
    path: '/subscriptions',
    summary: 'Lists the subscriptions, which no operation of the service does, with their signing secrets.',
    reply: {
      description: 'The subscriptions, in the order of their creation.',
      schema: once(() => z.strictObject({ subscriptions: z.array(z.looseObject({})) })),
    },
    answer: ({ service }) => ({ subscriptions: service.subscriptions }),
  }),
  route({
    method: 'GET',
    path: '/apps',
    summary: 'Lists the registered apps, which no operation of the service does.',
    reply: {
      description: 'The apps, in the order of their creation.',
      schema: once(() => z.strictObject({ apps: z.array(z.looseObject({})) })),
    },
    answer: ({ service }) => ({ apps: service.apps }),
  }),
  route({
    method: 'GET',
    path: '/events',
    summary:
      'Tells what happens, as server-sent events: request, delivery, post, clock, and state where something else changed.',
    reply: { description: 'A stream that ends with the server.', type: 'text/event-stream' },
    answer: ({ service }) => eventStream(service),
  }),
];
