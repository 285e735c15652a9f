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
  // The schema of the kind has checked its fields, and the seed itself checks the rest.
  return (seeds as unknown as Readonly<Record<string, (fields: object) => unknown>>)[kind]?.(fields);
}

export const seedRoutes = [
  route({
    method: 'POST',
    path: '/seed/{kind}',
    summary: 'Adds a single thing, whose fields are the body, or with demo a whole fortnight of a small company.',
    params: { kind: { description: 'What to add.', values: kinds } },
    bodyOf: (param) => bodyOf(param('kind')),
    bodyOptional: true,
    reply: { description: 'What the service would return for it.', schema: once(() => z.looseObject({})) },
    answer: ({ service, param, body }) => seed(service, param('kind'), body),
  }),
];
