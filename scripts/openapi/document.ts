import * as z from 'zod';
import type { Endpoint } from '../../src/core/call/endpoint.js';
import { endpoints } from '../../src/resources/endpoints.js';
import * as schemas from '../../src/schemas.js';
import { knownEventTypes, type KnownEventType } from '../../src/model/events.js';
import type { OperationExample } from './examples.js';
import { FieldDocs } from './field-docs.js';
import { operations, type Operation } from './operations.js';
import type { JsonSchema } from './json-schema.js';

type Json = Record<string, unknown>;

const undocumented = (what: string): Json => ({ 'x-undocumented': what });

const names = new Map<unknown, string>(
  Object.entries(schemas).map(([name, schema]) => [schema, name.replace(/Schema$/, '')]),
);
export const componentPath = (name: string) => `#/components/schemas/${name}`;

const tagDescriptions: Readonly<Record<string, string>> = {
  posts: 'Create, schedule, list and edit posts.',
  comments: 'Read comments on posts.',
  messages: 'Read and send direct messages on Instagram.',
  automations: 'Answer comments by keyword, and read the logs of the runs.',
  analytics: 'Read figures of posts and of Instagram accounts. These calls cost credits.',
  notifications: 'Subscribe to events of posts.',
  integrations: 'Connected social accounts.',
  apps: 'Own OAuth apps.',
};

/**
 * Generates the OpenAPI 3.1 document from the endpoint values. Details that the service's document does not define stay
 * undefined.
 */
export function buildDocument(version: string, examples: ReadonlyMap<string, OperationExample>): Json {
  const docs = new FieldDocs();
  const written = new Map(
    [...writeSchemas(docs)].map(([name, schema]) => [name, asDocumented(asReply(schema, pages.get(name)))]),
  );
  const paths: Record<string, Json> = {};
  for (const route of new Set(operations.map(({ endpoint }) => endpoint.route))) {
    const group = operations.filter(({ endpoint }) => endpoint.route === route);
    const [method = '', path = ''] = route.split(' ');
    (paths[path] ??= {})[method.toLowerCase()] = writeOperation(group, written, examples);
  }
  const pathsText = JSON.stringify([paths, ...written.values()]);
  // Queries are written as parameters; unreferenced schemas are omitted.
  const components = Object.fromEntries(
    [...written].filter(([name]) => name === 'WebhookEvent' || pathsText.includes(`"${componentPath(name)}"`)),
  );
  return {
    openapi: '3.1.1',
    info: {
      title: 'Social publishing service',
      version,
      description:
        'The operations that the `social-publishing` package calls. `x-undocumented` marks points that the service does not ' +
        'document, which are open here. `x-credits` is the cost of a call in credits. `enum` has all values that the ' +
        'document shows; `examples` of a string are values beside others that it does not show. Paths end as the service documents them, some with a slash.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{baseUrl}',
        description: 'The address of the service. It is not documented.',
        variables: { baseUrl: { default: 'https://api.example.com' } },
      },
    ],
    tags: Object.keys(endpoints).map((name) => ({ name, description: tagDescriptions[name] })),
    security: [{ accessKey: [] }],
    paths,
    webhooks: writeWebhooks(),
    components: {
      schemas: { ...components, Success: success, MessageError: messageError, PlainError: plainError },
      securitySchemes: { accessKey: { type: 'apiKey', in: 'header', name: 'x-access-key' } },
    },
  };
}

/** Returns every schema of the schemas entry by its name. They refer to each other as parts of one document. */
export function writeSchemas(docs: FieldDocs): Map<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema as z.core.$ZodType, { id });
  const { schemas: written } = z.toJSONSchema(registry, { uri: componentPath, io: 'input' });
  return new Map(
    Object.entries(written as Record<string, JsonSchema>).map(([name, { $schema: _, $id: __, ...schema }]) => {
      // The type of a payload is the type of a known event, without the fields that verification adds.
      const described = docs.describe(schema, name === 'WebhookEvent' ? 'KnownWebhookEvent' : name);
      return [name, tidy(described, name)];
    }),
  );
}

/** Converts zod's output to the form of the service's document. */
function tidy(schema: JsonSchema, name: string): JsonSchema {
  const next: JsonSchema = { ...schema };
  // zod writes date-times and dates as patterns.
  if (next.pattern?.includes('-02-29') === true) {
    const format = next.pattern.includes('T(?:') ? 'date-time' : 'date';
    delete next.pattern;
    Object.assign(next, { format });
  }
  // JavaScript's largest number is not a limit of the service.
  if (next.maximum === Number.MAX_SAFE_INTEGER) delete next.maximum;
  if (next.items) next.items = tidy(next.items, name);
  // A map: only its other fields matter.
  const isMap = typeof next.additionalProperties === 'object' && Object.keys(next.properties ?? {}).length === 0;
  if (isMap) delete next.properties;
  else if (next.properties) {
    next.properties = Object.fromEntries(
      Object.entries(next.properties).map(([key, field]) => [key, openValue(key, tidy(field, name))]),
    );
    const isBody = name.endsWith('Body');
    // Replies may grow. The document shows only some fields of requests: the client sends others through `extraBody`.
    const leavesOpen = next.additionalProperties === false && isBody;
    delete next.additionalProperties;
    if (leavesOpen)
      Object.assign(next, { additionalProperties: true, ...undocumented('Further fields are not shown.') });
  }
  const values = next.additionalProperties;
  if (typeof values === 'object') next.additionalProperties = tidy(values, name);
  return next;
}

/** Request fields for which the document shows only one value, as an example. */
const openValues: readonly string[] = ['postScope'];

function openValue(name: string, { enum: values, ...schema }: JsonSchema): JsonSchema {
  if (values === undefined) return schema;
  if (!openValues.includes(name)) return { ...schema, enum: values };
  return { ...schema, examples: values, ...undocumented('Other values are not shown.') };
}

/** Writes one operation of the document; two if only their query distinguishes them. */
function writeOperation(
  group: readonly Operation[],
  written: ReadonlyMap<string, JsonSchema>,
  examples: ReadonlyMap<string, OperationExample>,
): Json {
  const [first] = group;
  if (first === undefined) throw new Error('a route without an operation');
  const { endpoint, tag, section } = first;
  const credits = endpoint.credits === undefined ? {} : { 'x-credits': endpoint.credits };
  const body = endpoint.body?.();
  const example = examples.get(first.name);
  if (example === undefined) throw new Error(`scripts/openapi/examples.ts has no example of ${first.name}.`);
  return {
    operationId: first.id,
    tags: [tag],
    summary: group.map(({ endpoint: { summary } }) => summary).join(' '),
    description: `Section of the service's document: ${section}.`,
    ...(endpoint.deprecated === true ? { deprecated: true } : {}),
    ...credits,
    ...security(endpoint),
    parameters: [...pathParameters(endpoint), ...queryParameters(group, written)],
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(reference(body), example.request) } }),
    responses: {
      '2XX': {
        description: 'The service executed the operation.',
        ...undocumented('The exact status is not shown.'),
        content: json(replyOf(group, written), example.reply),
      },
      ...errorReplies(endpoint),
    },
    'x-codeSamples': group.map(({ name }) => ({
      lang: 'TypeScript',
      label: name,
      source: examples.get(name)?.code,
    })),
  };
}

/**
 * Restricts each field to the values of the service's document, if it shows them all. The schemas of the package accept
 * further values, so that an addition of the service breaks no caller. Of an incomplete list, the document shows one value.
 */
function asDocumented(schema: JsonSchema): JsonSchema {
  const { examples, anyOf, ...rest } = schema;
  const next: JsonSchema = { ...rest };
  if (Array.isArray(examples)) Object.assign(next, examples.length > 1 ? { enum: examples } : { examples });
  const [only, none] = anyOf ?? [];
  // A value or null is one type with two names.
  if (only !== undefined && none?.type === 'null') Object.assign(next, only, { type: [only.type, 'null'] });
  else if (anyOf !== undefined) next.anyOf = anyOf.map(asDocumented);
  if (next.items) next.items = asDocumented(next.items);
  if (next.properties) {
    next.properties = Object.fromEntries(
      Object.entries(next.properties).map(([name, field]) => [name, asDocumented(field)]),
    );
  }
  if (typeof next.additionalProperties === 'object')
    next.additionalProperties = asDocumented(next.additionalProperties);
  return next;
}

/** Every reply has this field. A page has at most the items of its largest limit. */
function asReply(schema: JsonSchema, items: string | undefined): JsonSchema {
  const { success: isReply, ...fields } = schema.properties ?? {};
  if (isReply === undefined) return schema;
  const page = items === undefined ? {} : { [items]: { ...fields[items], maxItems: 100 } };
  return { ...schema, properties: { success: { $ref: componentPath('Success') }, ...fields, ...page } };
}

/** The field with the items of each page, by the name of the reply, where the operation has a limit. */
const pages: ReadonlyMap<string, string> = new Map(
  operations.flatMap(({ endpoint: { response, list, query } }) => {
    const name = names.get(response());
    const hasLimit = query !== undefined && 'limit' in ((query() as { shape?: object }).shape ?? {});
    return name !== undefined && hasLimit && typeof list?.items === 'string' ? [[name, list.items] as const] : [];
  }),
);

const json = (schema: unknown, example: unknown): Json => ({ 'application/json': { schema, example } });

/** Returns the schema of the reply. A reply that the document does not show can have any fields. */
function replyOf(group: readonly Operation[], written: ReadonlyMap<string, JsonSchema>): Json {
  const isShown = ({ endpoint: { list } }: Operation) => list?.undocumentedShape !== true;
  const [shown] = group.filter(isShown);
  if (shown === undefined) return { type: 'object', ...undocumented('The shape of the list is not shown.') };
  const schema = shown.endpoint.response();
  if (group.every(isShown)) return reference(schema);
  const { type, properties } = written.get(names.get(schema) ?? '') ?? {};
  return {
    type,
    properties,
    ...undocumented(`Without ${shown.endpoint.selectedBy?.query ?? ''}, the shape of the list is not shown.`),
  };
}

/** The document shows the form of errors, not their statuses. Generators and linters expect the two classes. */
function errorReplies({ errorForm }: Endpoint): Json {
  const schema = { $ref: componentPath(errorForm === 'error' ? 'PlainError' : 'MessageError') };
  const reply = (description: string): Json => ({
    description,
    ...undocumented(
      'The document shows the form of errors, but neither their statuses nor which status means which error.',
    ),
    content: { 'application/json': { schema } },
  });
  return {
    '4XX': reply('The service refused the request.'),
    '5XX': reply('The service failed.'),
    default: reply('Another error.'),
  };
}

function reference(schema: unknown): JsonSchema {
  const name = names.get(schema);
  if (name === undefined) throw new Error('a schema that the schemas entry does not export');
  return { $ref: componentPath(name) };
}

/** The document does not show whether the two selection operations need the key. */
function security({ selection }: Endpoint): Json {
  if (selection !== true) return {};
  return { security: [{ accessKey: [] }, {}], ...undocumented('Whether the access key is required is not shown.') };
}

function pathParameters({ params = {}, route }: Endpoint): Json[] {
  const inRoute = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return inRoute.map((name) => {
    const { description, ...limits } = params[name] ?? { description: '' };
    return { name, in: 'path', required: true, description, schema: { type: 'string', ...limits } };
  });
}

function queryParameters(group: readonly Operation[], written: ReadonlyMap<string, JsonSchema>): Json[] {
  const parameters = new Map<string, { schema: JsonSchema; required: number }>();
  for (const { endpoint } of group) {
    const query = endpoint.query?.();
    if (query === undefined) continue;
    const { properties = {}, required = [] } = written.get(names.get(query) ?? '') ?? {};
    for (const [name, schema] of Object.entries(properties)) {
      const known = parameters.get(name) ?? { schema: withDefault(schema, endpoint.defaults?.[name]), required: 0 };
      parameters.set(name, { ...known, required: known.required + (required.includes(name) ? 1 : 0) });
    }
  }
  return [...parameters].map(
    ([
      name,
      {
        schema: { description, ...schema },
        required,
      },
    ]) => ({
      name,
      in: 'query',
      required: required === group.length,
      ...(description === undefined ? {} : { description }),
      schema: withoutNull(schema),
    }),
  );
}

const withDefault = (schema: JsonSchema, value: unknown): JsonSchema =>
  value === undefined ? schema : { ...schema, default: value };

/** A query has no null: it is sent as the literal text. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [only, ...others] = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (only !== undefined && others.length === 0) return { ...rest, ...only };
  return Array.isArray(schema.type)
    ? { ...schema, type: schema.type.find((type) => type !== 'null') ?? 'string' }
    : schema;
}

const eventSummaries: Readonly<Record<KnownEventType, string>> = {
  'post.scheduled': 'The service accepted a post and scheduled it.',
  'post.published': 'Every target was published without warnings.',
  'post.partial': 'At least one target failed or returned a warning, and not every target failed.',
  'post.failed': 'Every target failed.',
};

/** For example `onPostScheduled`: an identifier in any language that code is made for. */
const webhookId = (event: KnownEventType): string =>
  `on${event
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')}`;

function writeWebhooks(): Json {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  });
  const parameters = [
    header('X-Service-Event-Id', 'The unique ID of the event.'),
    header('X-Service-Event-Type', 'The type of the event.'),
    header('X-Service-Timestamp', 'Unix time in seconds.'),
    header('X-Service-Signature', '`sha256=` and the hex HMAC-SHA256 of the timestamp, a period and the raw body.'),
  ];
  const type = (name: string) => ({ properties: { type: { const: name } } });
  return Object.fromEntries(
    knownEventTypes.map((name) => [
      name,
      {
        post: {
          operationId: webhookId(name),
          summary: eventSummaries[name],
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: { allOf: [{ $ref: componentPath('WebhookEvent') }, type(name)] } },
            },
          },
          responses: {
            '2XX': { description: 'The delivery succeeded.' },
            '4XX': { description: 'The delivery failed. The service makes at most three attempts in total.' },
            '5XX': { description: 'The delivery failed. The service makes at most three attempts in total.' },
          },
        },
      },
    ]),
  );
}

const success = {
  type: 'boolean',
  const: true,
  description: '`true` if the service accepted the request.',
};

const messageError = {
  type: 'object',
  description: 'An error of the message form.',
  properties: { success: { type: 'boolean' }, message: { type: 'string' } },
};

const plainError = {
  type: 'object',
  description: 'An error of the error form.',
  properties: { error: { type: 'string' } },
};
