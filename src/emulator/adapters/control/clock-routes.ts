import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import type { Emulator } from '../../emulator.js';
import { timestamp } from '../../state/time.js';
import { route } from './route.js';

const clockSchema = once(() =>
  z.strictObject({
    now: z.iso.datetime(),
    milliseconds: z.number(),
    running: z.boolean(),
    speed: z.number(),
    nextDue: z.nullable(z.iso.datetime()),
    next: z.nullable(z.looseObject({ kind: z.string(), at: z.iso.datetime() })),
  }),
);

export function shownClock({ clock }: Emulator): z.infer<ReturnType<typeof clockSchema>> {
  const { nextDue, nextEvent, running, speed } = clock;
  const now = clock.now();
  return {
    now: timestamp(now),
    milliseconds: now,
    running,
    speed,
    nextDue: nextDue === undefined ? null : timestamp(nextDue),
    next: nextEvent === undefined ? null : { ...nextEvent, at: timestamp(nextEvent.at) },
  };
}

export const clockReply = { description: 'The clock.', schema: clockSchema };

const length = () => z.optional(z.number().check(z.minimum(0)));

const durationBody = once(() =>
  z.strictObject({ days: length(), hours: length(), minutes: length(), seconds: length(), milliseconds: length() }),
);
const pointBody = once(() => {
  const to = z.union([z.string(), z.number()], { error: 'must be a date-time or milliseconds' });
  return z.union([z.strictObject({ to }), to], { error: 'must be { to } with a date-time or milliseconds' });
});
const runBody = once(() =>
  z.strictObject({ speed: z.optional(z.number().check(z.gt(0, { error: 'must be above 0' }))) }),
);
export const clockRoutes = [
  route({
    method: 'GET',
    path: '/clock',
    summary: 'Shows the time, how it runs, and when the next event is due.',
    reply: clockReply,
    answer: ({ service }) => shownClock(service),
  }),
  route({
    method: 'POST',
    path: '/clock/advance',
    summary: 'Advances the time. Due events happen in order, including deliveries and their retries, before the reply.',
    body: durationBody,
    reply: clockReply,
    async answer({ service, body }) {
      await service.clock.advance(body);
      return shownClock(service);
    },
  }),
  route({
    method: 'POST',
    path: '/clock/set',
    summary:
      'Sets the time: an ISO 8601 date-time with its offset, or milliseconds since 1970. Moving backwards triggers no events.',
    body: pointBody,
    reply: clockReply,
    async answer({ service, body }) {
      await service.clock.set(typeof body === 'object' ? body.to : body);
      return shownClock(service);
    },
  }),
  route({
    method: 'POST',
    path: '/clock/run',
    summary: 'Runs the time at a multiple of the real speed; 1 by default.',
    body: runBody,
    bodyOptional: true,
    reply: clockReply,
    answer({ service, body }) {
      service.clock.run(body);
      return shownClock(service);
    },
  }),
  route({
    method: 'POST',
    path: '/clock/pause',
    summary: 'Stops the time.',
    reply: clockReply,
    answer({ service }) {
      service.clock.pause();
      return shownClock(service);
    },
  }),
  route({
    method: 'POST',
    path: '/clock/step',
    summary: 'Advances the time to the next due event and executes it. Does nothing if no event is due.',
    reply: clockReply,
    async answer({ service }) {
      await service.clock.step();
      return shownClock(service);
    },
  }),
];
