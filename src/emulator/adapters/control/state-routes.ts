import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import { createEmulator } from '../../create.js';
import { clockReply, shownClock } from './clock-routes.js';
import { kinds } from './seed-routes.js';
import { route } from './route.js';

// `restore` checks the rest.
const stateSchema = once(() => z.looseObject({ format: z.string(), version: z.number() }));

const resetBody = once(() => z.strictObject({ to: z.optional(z.enum(['start', 'empty', 'demo'])) }));
export const stateRoutes = [
  route({
    route: 'GET /session',
    summary: 'Returns the settings for a program that calls the service: the access key, if it is required.',
    reply: {
      description:
        'The access key (null: not required), the kinds of seeds, the observed parts, and an ID that is new after each start.',
      schema: once(() =>
        z.strictObject({
          accessKey: z.nullable(z.string()),
          kinds: z.array(z.string()),
          observed: z.array(z.enum(['publisher', 'inbox'])),
          instance: z.string(),
        }),
      ),
    },
    answer: ({ service, observed, instance }) => ({
      accessKey: service.accessKey,
      kinds,
      observed: (['publisher', 'inbox'] as const).filter((name) => observed[name] !== undefined),
      instance,
    }),
  }),
  route({
    route: 'GET /state',
    summary: 'Returns the whole state as JSON, to restore it later, here or in another emulator.',
    reply: { description: 'The state.', schema: stateSchema },
    answer: ({ service }) => service.snapshot().toJSON(),
  }),
  route({
    route: 'PUT /state',
    summary: 'Restores a state. A broken one, or one of a later version, is refused, and nothing changes.',
    body: stateSchema,
    reply: clockReply,
    answer({ service, body }) {
      service.restore(body);
      return shownClock(service);
    },
  }),
  route({
    route: 'POST /reset',
    summary: 'Restores the initial state, empties everything, or replaces everything with the demo.',
    body: resetBody,
    bodyOptional: true,
    reply: clockReply,
    async answer({ service, start, body }) {
      const { running } = service.clock;
      const now = service.clock.now();
      const { to = 'start' } = body;
      service.restore(to === 'start' ? start : createEmulator({ now: () => now }).snapshot());
      // A running clock follows an external time, so it continues from its current time.
      if (running) await service.clock.set(now);
      if (to === 'demo') service.seed.demo();
      return shownClock(service);
    },
  }),
];
