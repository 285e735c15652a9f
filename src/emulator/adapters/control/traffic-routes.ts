import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import type { Emulator } from '../../emulator.js';
import { type Delivery, shownRequest } from '../../state/traffic.js';
import { eventStream } from './event-stream.js';
import { removedReply, route } from './route.js';

const most = 10_000;
const defaultLimit = 100;
const mostReplays = 10;

const trafficQuery = once(() =>
  z.strictObject({
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(most))),
    // An ID of digits only is read as a number.
    post: z.optional(z.union([z.string(), z.number()])),
  }),
);

const aboutPost = (post: string | number | undefined) => (post === undefined ? {} : { postId: String(post) });

const recordSchema = once(() => z.looseObject({ id: z.string(), at: z.iso.datetime() }));
const deliveriesReply = (description: string) => ({
  description,
  schema: once(() => z.strictObject({ deliveries: z.array(recordSchema()) })),
});

const forgetRoute = (what: 'requests' | 'deliveries') =>
  route({
    route: `DELETE /${what}`,
    summary: `Removes the recorded ${what}.`,
    reply: removedReply(what),
    answer({ service }) {
      const removed = service[what].length;
      service.clear({ [what]: true });
      return { removed };
    },
  });

/** Defines a route that shows what no operation lists. */
const listRoute = (what: 'subscriptions' | 'apps', summary: string) =>
  route({
    route: `GET /${what}`,
    summary: `${summary} The API document does not show such an operation.`,
    reply: {
      description: `The ${what}, in the order of their creation.`,
      schema: once(() => z.strictObject({ [what]: z.array(z.looseObject({})) })),
    },
    answer: ({ service }) => ({ [what]: service[what] }),
  });

function failures(service: Emulator) {
  const undelivered = new Map<string, Delivery>();
  const delivered = new Set<string>();
  for (const delivery of service.deliveries) {
    const key = `${delivery.eventId} ${delivery.subscriptionId}`;
    if (delivery.ok) delivered.add(key);
    // A replay does not change that the emulator tries again.
    if (delivery.replayOf === undefined) undelivered.set(key, delivery);
  }
  return {
    requests: service.requests.filter(({ status = 500 }) => status >= 400).length,
    undelivered: [...undelivered]
      .filter(([key, { retryAt }]) => !delivered.has(key) && retryAt === undefined)
      .map(([, { eventId, subscriptionId }]) => ({ eventId, subscriptionId })),
  };
}

const replayBody = once(() =>
  z.strictObject({ times: z.optional(z.int().check(z.minimum(1), z.maximum(mostReplays))) }),
);
export const trafficRoutes = [
  route({
    route: 'GET /requests',
    summary: 'Lists the latest requests, oldest first; with post, those that created, changed or read that post.',
    query: trafficQuery,
    reply: {
      description: 'The requests, each with its reply and the faults that applied to it.',
      schema: once(() => z.strictObject({ requests: z.array(recordSchema()) })),
    },
    answer: ({ service, query }) => {
      const latest = service.latestRequests(query.limit ?? defaultLimit, aboutPost(query.post));
      return { requests: latest.map(shownRequest) };
    },
  }),
  forgetRoute('requests'),
  route({
    route: 'GET /deliveries',
    summary: 'Lists the latest delivery attempts of webhooks, oldest first; with post, those about that post.',
    query: trafficQuery,
    reply: deliveriesReply('The attempts, each with its request and result.'),
    answer: ({ service, query }) => ({
      deliveries: service.latestDeliveries(query.limit ?? defaultLimit, aboutPost(query.post)),
    }),
  }),
  forgetRoute('deliveries'),
  route({
    route: 'POST /deliveries/{id}/replay',
    summary: 'Repeats a delivery once or several times in a row: the same event, signed again. It is not retried.',
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
    route: 'GET /failures',
    summary:
      'Counts the kept requests that failed, and names the events that no attempt delivered, and that are not delivered again automatically.',
    reply: {
      description: 'A request failed if its status is 400 or more, or if it got no reply.',
      schema: once(() =>
        z.strictObject({
          requests: z.int(),
          undelivered: z.array(z.strictObject({ eventId: z.string(), subscriptionId: z.string() })),
        }),
      ),
    },
    answer: ({ service }) => failures(service),
  }),
  listRoute('subscriptions', 'Lists the subscriptions with their signing secrets.'),
  listRoute('apps', 'Lists the registered apps.'),
  route({
    route: 'GET /events',
    summary: 'Streams changes as server-sent events: request, delivery, post, clock, and state for other changes.',
    reply: { description: 'A stream that ends with the server.', type: 'text/event-stream' },
    answer: ({ service, ended }) => eventStream(service, ended),
  }),
];
