import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import type { Emulator } from '../../emulator.js';
import { seedKinds, seedSchemas } from '../../seed/seed-schemas.js';
import { route } from './route.js';

export const kinds: readonly string[] = [...seedKinds, 'demo'];

const noFields = once((): z.ZodMiniType<object> => z.strictObject({}));

function bodyOf(kind: string): z.ZodMiniType<object> | undefined {
  if (kind === 'demo') return noFields();
  return Object.hasOwn(seedSchemas, kind) ? seedSchemas[kind as keyof typeof seedSchemas]() : undefined;
}

function seed({ seed: seeds }: Emulator, kind: string, fields: object): unknown {
  // The schema of the kind has checked its fields; the seed itself checks the rest.
  return (seeds as unknown as Readonly<Record<string, (fields: object) => unknown>>)[kind]?.(fields);
}

export const seedRoutes = [
  route({
    method: 'POST',
    path: '/seed/{kind}',
    summary: 'Adds a single item with the fields of the body, or with demo two weeks of data of a small company.',
    params: { kind: { description: 'The kind to add.', values: kinds } },
    bodyOf: (param) => bodyOf(param('kind')),
    bodyOptional: true,
    reply: { description: 'The item as the service returns it.', schema: once(() => z.looseObject({})) },
    answer: ({ service, param, body }) => seed(service, param('kind'), body),
  }),
];
