import { knownEventTypes } from '../../src/model/events.js';
import { componentPath, writeSchemas } from './document.js';
import { FieldDocs } from './field-docs.js';
import type { JsonSchema } from './json-schema.js';

const dialect = 'https://json-schema.org/draft/2020-12/schema';
const prefix = componentPath('');

/**
 * Every request, reply, resource and event as a JSON Schema that needs no other file, by the name of its file without
 * `.json`. They are those of the OpenAPI document: what the service's document leaves open stays open.
 */
export function writeJsonSchemas(): ReadonlyMap<string, JsonSchema> {
  const components = writeSchemas(new FieldDocs());
  const named = [...components].map(([name, schema]) => [name, whole(name, schema, components)] as const);
  const event = components.get('WebhookEvent');
  if (event === undefined) throw new Error('The schemas entry has no WebhookEvent.');
  const events = knownEventTypes.map((type) => {
    const ofType = { ...event, properties: { ...event.properties, type: { const: type } } };
    return [type, whole(type, ofType, components)] as const;
  });
  return new Map([...named, ...events]);
}

/** A schema with all that it refers to. */
function whole(title: string, schema: JsonSchema, components: ReadonlyMap<string, JsonSchema>): JsonSchema {
  const needed = new Map<string, JsonSchema>();
  const collect = (part: JsonSchema) => {
    for (const name of namesIn(part)) {
      const found = components.get(name);
      if (found === undefined) throw new Error(`${title} refers to ${name}, which is no schema.`);
      if (needed.has(name)) continue;
      needed.set(name, found);
      collect(found);
    }
  };
  collect(schema);
  const definitions = needed.size === 0 ? {} : { $defs: Object.fromEntries(needed) };
  return JSON.parse(
    JSON.stringify({ $schema: dialect, title, ...schema, ...definitions }).replaceAll(`"${prefix}`, '"#/$defs/'),
  ) as JsonSchema;
}

function namesIn(schema: JsonSchema): string[] {
  return JSON.stringify(schema)
    .split(`"$ref":"${prefix}`)
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf('"')));
}
