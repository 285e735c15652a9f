import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import type { Emulator } from '../../emulator.js';
import type { RunningClock } from '../../service/clock.js';
import { timestamp } from '../../state/time.js';
import { route, type ControlCall } from './route.js';

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

/** Defines a route that changes the clock and then shows it. */
function clockRoute<Body extends z.core.$ZodType = z.ZodMiniUndefined>({
  change,
  ...fields
}: {
  readonly route: `POST /clock/${string}`;
  readonly summary: string;
  readonly body?: () => Body;
  readonly bodyOptional?: true;
  readonly change: (clock: RunningClock, body: z.core.output<Body>) => unknown;
}) {
  return route({
    ...fields,
    reply: clockReply,
    async answer({ service, body }: ControlCall<unknown, z.core.output<Body>>) {
      await change(service.clock, body);
      return shownClock(service);
    },
  });
}

export const clockRoutes = [
  route({
    route: 'GET /clock',
    summary: 'Shows the time, how it runs, and when the next event is due.',
    reply: clockReply,
    answer: ({ service }) => shownClock(service),
  }),
  clockRoute({
    route: 'POST /clock/advance',
    summary: 'Advances the time. Due events happen in order, including deliveries and their retries, before the reply.',
    body: durationBody,
    change: (clock, by) => clock.advance(by),
  }),
  clockRoute({
    route: 'POST /clock/set',
    summary:
      'Sets the time: an ISO 8601 date-time with its offset, or milliseconds since 1970. Moving backwards triggers no events.',
    body: pointBody,
    change: (clock, point) => clock.set(typeof point === 'object' ? point.to : point),
  }),
  clockRoute({
    route: 'POST /clock/run',
    summary: 'Runs the time at a multiple of the real speed; 1 by default.',
    body: runBody,
    bodyOptional: true,
    change: (clock, options) => clock.run(options),
  }),
  clockRoute({
    route: 'POST /clock/pause',
    summary: 'Stops the time.',
    change: (clock) => {
      clock.pause();
    },
  }),
  clockRoute({
    route: 'POST /clock/step',
    summary: 'Advances the time to the next due event and executes it. Does nothing if no event is due.',
    change: (clock) => clock.step(),
  }),
];
