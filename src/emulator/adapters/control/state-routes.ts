import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import { createEmulator } from '../../create.js';
import { clockReply, shownClock } from './clock-routes.js';
import { kinds } from './seed-routes.js';
import { route } from './route.js';

// What else is in it, `restore` checks.
const stateSchema = once(() => z.looseObject({ format: z.string(), version: z.number() }));

const resetBody = once(() => z.strictObject({ to: z.optional(z.enum(['start', 'empty', 'demo'])) }));
export const stateRoutes = [
  route({
    method: 'GET',
    path: '/session',
    summary: 'Tells what a program needs to call the service: the access key, where one is asked for.',
    reply: {
      description: 'The access key, or null where none is asked for, the kinds of seeds, and what is observed.',
      schema: once(() =>
        z.strictObject({
          accessKey: z.nullable(z.string()),
          kinds: z.array(z.string()),
          observed: z.array(z.enum(['publisher', 'inbox'])),
        }),
      ),
    },
    answer: ({ service, observed }) => ({
      accessKey: service.accessKey,
      kinds,
      observed: (['publisher', 'inbox'] as const).filter((name) => observed[name] !== undefined),
    }),
  }),
  route({
    method: 'GET',
    path: '/state',
    summary: 'Gives the whole state as JSON, to put it back later, here or in another emulator.',
    reply: { description: 'The state.', schema: stateSchema },
    answer: ({ service }) => service.snapshot().toJSON(),
  }),
  route({
    method: 'PUT',
    path: '/state',
    summary: 'Puts a state in place. One that is broken or of a later version is refused, and nothing is changed.',
    body: stateSchema,
    reply: clockReply,
    answer({ service, body }) {
      service.restore(body);
      return shownClock(service);
    },
  }),
  route({
    method: 'POST',
    path: '/reset',
    summary: 'Puts back what was there at the start, or empties everything, or puts the demo in its place.',
    body: resetBody,
    bodyOptional: true,
    reply: clockReply,
    async answer({ service, start, body }) {
      const { running } = service.clock;
      const now = service.clock.now();
      const { to = 'start' } = body;
      service.restore(to === 'start' ? start : createEmulator({ now: () => now }).snapshot());
      // A clock that runs is in step with something outside: it goes on from where it is.
      if (running) await service.clock.set(now);
      if (to === 'demo') service.seed.demo();
      return shownClock(service);
    },
  }),
];
