import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import type { Emulator, ScenarioStep } from '../../emulator.js';
import { listProblems, seedAll, seedKinds, seedOne, seedSchemas } from '../../seed/seed-file.js';
import { Refusal } from './guard.js';
import { removeRoute, route } from './route.js';

export const kinds: readonly string[] = [...seedKinds, 'demo'];

const empty = once((): z.ZodMiniType<object> => z.strictObject({}));

function bodyOf(kind: string): z.ZodMiniType<object> | undefined {
  if (kind === 'demo') return empty();
  // hasOwn() shows that it is a key.
  return Object.hasOwn(seedSchemas, kind) ? seedSchemas[kind as keyof typeof seedSchemas]() : undefined;
}

/** Adds the records of a seed file, or none of them. */
function seedFile(service: Emulator, file: object): object {
  const before = service.snapshot();
  const problems = seedAll(service.seed, file);
  if (problems.length === 0) return {};
  service.restore(before);
  throw new Refusal(400, `The seed file is not valid, and nothing was added: ${listProblems(problems)}`);
}

// The library checks the rest, and names the place of each problem.
const seedFileSchema = once(() => z.looseObject({}));
const scenarioSchema = once(() => z.array(z.looseObject({})));

export const seedRoutes = [
  route({
    route: 'POST /seed',
    summary: 'Adds the records of a seed file, the file of --seed. If a record is invalid, it adds none.',
    body: seedFileSchema,
    reply: { description: 'An empty object.', schema: empty },
    answer: ({ service, body }) => seedFile(service, body),
  }),
  route({
    route: 'POST /scenario',
    summary: 'Plans the steps of a scenario from now on, the file of --scenario. If a step is invalid, it plans none.',
    body: scenarioSchema,
    reply: { description: 'An empty object.', schema: empty },
    answer({ service, body }) {
      // `scenario` tries the steps on a copy, and refuses invalid ones.
      service.scenario(body as unknown as ScenarioStep[]);
      return {};
    },
  }),
  route({
    route: 'GET /scenario',
    summary: 'Lists the planned steps of scenarios, in the order in which they happen.',
    reply: {
      description: 'The steps that have not happened yet.',
      schema: once(() => z.strictObject({ steps: z.array(z.looseObject({ id: z.string(), at: z.iso.datetime() })) })),
    },
    answer: ({ service }) => ({ steps: service.scenarios.list().map(({ step, ...entry }) => ({ ...entry, ...step })) }),
  }),
  removeRoute('/scenario', 'planned step', ({ scenarios }, id) => scenarios.remove(id)),
  route({
    route: 'POST /seed/{kind}',
    summary: 'Adds a single item with the fields of the body, or with demo two weeks of data of a small company.',
    params: { kind: { description: 'The kind to add.', values: kinds } },
    bodyOf: (param) => bodyOf(param('kind')),
    bodyOptional: true,
    reply: { description: 'The item as the service returns it.', schema: once(() => z.looseObject({})) },
    answer: ({ service, param, body }) => seedOne(service.seed, param('kind'), body),
  }),
];
