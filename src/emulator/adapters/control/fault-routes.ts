import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import { addAnyFault, type FaultOf } from '../../scenario.js';
import type { Emulator } from '../../emulator.js';
import { outcomeSchema } from '../../service/outcomes.js';
import { removedReply, removeRoute, route } from './route.js';

// The library checks the fields of each kind, with clear messages.
const faultSchema = once(() =>
  z.looseObject({ kind: z.string(), times: z.optional(z.number()), probability: z.optional(z.number()) }),
);

const entrySchema = once(() =>
  z.looseObject({ id: z.string(), fault: faultSchema(), struck: z.number(), spent: z.boolean() }),
);

const onQuery = once(() => z.strictObject({ on: z.optional(z.enum(['requests', 'deliveries'])) }));

const outcomesReply = {
  description: 'The outcomes that can still apply.',
  schema: once(() => z.strictObject({ outcomes: z.array(z.looseObject({ id: z.string(), struck: z.number() })) })),
};

function faultsOf(service: Emulator, on: FaultOf): Emulator['faults'] | Emulator['deliveryFaults'] {
  return on === 'requests' ? service.faults : service.deliveryFaults;
}

function addFault(service: Emulator, given: z.infer<ReturnType<typeof faultSchema>>, on: FaultOf | undefined): object {
  const where = addAnyFault(service, given, on);
  return { on: where, ...faultsOf(service, where).list().at(-1) };
}

const faultRoutes = [
  route({
    route: 'GET /faults',
    summary:
      'Lists the faults of requests and of deliveries with their effects: how often each applied (`struck`), and whether it is used up (`spent`).',
    reply: {
      description: 'The faults; unused ones have 0.',
      schema: once(() => z.strictObject({ requests: z.array(entrySchema()), deliveries: z.array(entrySchema()) })),
    },
    answer: ({ service }) => ({ requests: service.faults.list(), deliveries: service.deliveryFaults.list() }),
  }),
  route({
    route: 'POST /faults',
    summary:
      'Adds a fault, for requests or deliveries depending on its kind. A timeout applies to requests, unless the query says otherwise.',
    query: onQuery,
    body: faultSchema,
    reply: {
      description: 'The fault, and which of the two it applies to.',
      schema: once(() => z.looseObject({ on: z.string(), id: z.string() })),
    },
    answer: ({ service, body, query }) => addFault(service, body, query.on),
  }),
  route({
    route: 'DELETE /faults',
    summary: 'Removes all faults, or only the faults of requests or of deliveries.',
    query: onQuery,
    reply: removedReply('faults'),
    answer({ service, query }) {
      let count = 0;
      for (const on of ['requests', 'deliveries'] as const) {
        if (query.on !== undefined && query.on !== on) continue;
        const faults = faultsOf(service, on);
        count += faults.list().length;
        faults.clear();
      }
      return { removed: count };
    },
  }),
  removeRoute('/faults', 'fault', ({ faults, deliveryFaults }, id) => faults.remove(id) || deliveryFaults.remove(id)),
];

function outcomesOf(service: Emulator): object {
  return { outcomes: service.publishing.list().map(({ id, outcome, struck }) => ({ id, ...outcome, struck })) };
}

const outcomeRoutes = [
  route({
    route: 'GET /outcomes',
    summary:
      'Lists the planned outcomes of publications, each with the number of targets that it applied to (`struck`).',
    reply: outcomesReply,
    answer: ({ service }) => outcomesOf(service),
  }),
  route({
    route: 'POST /outcomes',
    summary: 'Plans the outcomes of targets from now on.',
    body: outcomeSchema,
    reply: outcomesReply,
    answer({ service, body }) {
      service.publishing.outcome(body);
      return outcomesOf(service);
    },
  }),
  route({
    route: 'DELETE /outcomes',
    summary: 'Removes planned outcomes, and resets the duration of publications.',
    reply: removedReply('outcomes'),
    answer({ service }) {
      const count = service.publishing.outcomes().length;
      service.publishing.reset();
      return { removed: count };
    },
  }),
  removeRoute('/outcomes', 'outcome', ({ publishing }, id) => publishing.remove(id)),
];

export const wrongDayRoutes = [...faultRoutes, ...outcomeRoutes];
