/** A page of the site for each operation, written from its endpoint value. */
import { readFileSync } from 'node:fs';
import type { Endpoint, RetryClass } from '../../src/core/call/endpoint.js';
import * as schemas from '../../src/schemas.js';
import { writeSchemas } from '../../scripts/openapi/document.js';
import { operations, type Operation } from '../../scripts/openapi/operations.js';
import { FieldDocs } from '../../scripts/openapi/field-docs.js';
import type { JsonSchema } from '../../scripts/openapi/json-schema.js';
import { readMethods } from '../../scripts/docs/methods.js';
import { choicesOf } from './operation-choices.js';

export interface OperationPage {
  /** The method of the client, for example `posts.create`. */
  readonly name: string;
  readonly text: string;
}

const retries: Readonly<Record<RetryClass, string>> = {
  repeatable: 'The client retries after temporary failures: 408, 429, 5xx and lost connections.',
  paid_per_success:
    'The client retries if the reply has a failed status. If no reply arrives, it does not retry, because the call may have cost a credit.',
  paid_per_call:
    'The client retries only if it is certain that the service did not execute the call, because each call costs a credit.',
  once: 'The client retries only if it is certain that the service did not execute the call, because a second execution would do harm.',
};

const schemaNames = new Map<unknown, string>(
  Object.entries(schemas).map(([name, schema]) => [schema, name.replace(/Schema$/, '')]),
);

/** The page that lists all operations, above their pages. */
export function operationIndex(pages: readonly OperationPage[]): string {
  const rows = readMethods()
    .filter(({ name }) => pages.some((page) => page.name === name))
    .map(({ name, operation, cost }) => `| [\`${name}\`](${name}.md) | ${operation} | ${cost} |`);
  return [
    `---\nchildren:\n${pages.map(({ name }) => `  - ${name}.md`).join('\n')}\n---`,
    '# Operations',
    'Each operation of the service has a page with its parameters, reply, errors, cost and retries. The pages are generated from the code ' +
      'of the client. The facts come from the API document, which is the specification of the service. `openapi.json` in the package is ' +
      'the machine-readable form of the API document.',
    `| method | operation | cost |\n|---|---|---|\n${rows.join('\n')}`,
    'If the cost is empty, the API document does not show a cost. Other methods, such as `posts.watch`, call these operations.',
  ].join('\n\n');
}

/** The pages of the 21 operations, in the order of the resources. */
export function operationPages(): readonly OperationPage[] {
  // The readers of the site call methods of the client, not the operation IDs of openapi.json.
  const written = writeSchemas(new FieldDocs(linkMethods));
  const examples = readSections('maintenance/site/operation-examples.md');
  const choices = readChoices();
  return operations.map((operation) => {
    const { name } = operation;
    const example = examples.get(name);
    if (example === undefined) throw new Error(`maintenance/site/operation-examples.md has no example of ${name}.`);
    return { name, text: pageOf(operation, written, { example, choices: rowsOf(name, choices) }) };
  });
}

/** A doc in one line, whose names of methods lead to their pages. */
function linkMethods(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/`(\w+\.\w+)`/g, (whole, name: string) => (isOperation(name) ? `[${whole}](${name}.md)` : whole));
}

function isOperation(name: string): boolean {
  return operations.some((operation) => operation.name === name);
}

const stubs =
  '[The emulator](../../docs/emulator.md#the-emulators-choices-for-undocumented-behavior) explains stubs and lists all choices.';

interface Extras {
  readonly example: string;
  readonly choices: readonly string[];
}

function pageOf(
  { name, endpoint, section }: Operation,
  written: ReadonlyMap<string, JsonSchema>,
  { example, choices }: Extras,
): string {
  const body = endpoint.body === undefined ? undefined : schemaOf(endpoint.body(), written);
  const response = endpoint.list?.undocumentedShape === true ? undefined : schemaOf(endpoint.response(), written);
  return [
    `# ${name}`,
    endpoint.summary,
    `\`\`\`http\n${endpoint.route}\n\`\`\``,
    facts(endpoint, section),
    '## Example',
    example,
    '`client` is your client, and IDs such as `instagramId` are your IDs. [Your first post](../../docs/first-post.md) shows how to get both.',
    '## Parameters',
    parameters(endpoint, written),
    ...(body === undefined ? [] : ['## Body', fieldTable(body, written), openBody(body)]),
    '## Reply',
    response === undefined ? 'The API document does not show the shape of this reply.' : fieldTable(response, written),
    '## Errors',
    errors(endpoint),
    '## Choices of the emulator',
    choices.length === 0
      ? 'The API document describes everything that the emulator does here.'
      : `The API document does not describe these points. The emulator had to choose, and the service may differ. ${stubs}\n\n| point | the emulator's choice | how to change it |\n|---|---|---|\n${choices.join('\n')}`,
  ].join('\n\n');
}

function facts(endpoint: Endpoint, section: string): string {
  const cost =
    endpoint.credits === undefined
      ? 'not documented'
      : `1 credit per ${endpoint.retry === 'paid_per_success' ? 'successful call' : 'call'}`;
  const key =
    endpoint.selection === true
      ? 'The client sends it. The API document does not say whether it is required.'
      : 'required';
  return [
    '| property | value |',
    '|---|---|',
    `| Section of the API document | ${section} |`,
    ...(endpoint.deprecated === true ? ['| Status | deprecated by the service |'] : []),
    ...(endpoint.selectedBy === undefined
      ? []
      : [
          `| Selected by | the query ${endpoint.selectedBy.present ? 'contains' : 'does not contain'} \`${endpoint.selectedBy.query}\` |`,
        ]),
    `| Access key | ${key} |`,
    `| Cost | ${cost} |`,
    `| Retries | ${retries[endpoint.retry]} |`,
  ].join('\n');
}

function parameters(endpoint: Endpoint, written: ReadonlyMap<string, JsonSchema>): string {
  const inRoute = [...endpoint.route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description = '', ...limits } = endpoint.params?.[name] ?? {};
    return row(name, 'path', true, { type: 'string', description, ...limits });
  });
  const query = endpoint.query === undefined ? undefined : schemaOf(endpoint.query(), written);
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const value = endpoint.defaults?.[name];
    const withDefault = value === undefined ? schema : { ...schema, default: value };
    return row(name, 'query', query?.required?.includes(name) === true, withDefault);
  });
  const rows = [...inRoute, ...inQuery];
  if (rows.length === 0) return 'None.';
  return ['| name | type and limits | meaning |', '|---|---|---|', ...rows].join('\n');
}

const row = (name: string, place: string, isRequired: boolean, schema: JsonSchema): string =>
  `| \`${name}\` (${place}${isRequired ? ', required' : ''}) | ${typeOf(schema)} | ${cell(schema.description)} |`;

/** The fields of an object, those of nested objects below their parent. */
function fieldTable(schema: JsonSchema, written: ReadonlyMap<string, JsonSchema>): string {
  const rows: string[] = [];
  const visit = (part: JsonSchema, prefix: string, depth: number): void => {
    for (const [name, given] of Object.entries(part.properties ?? {})) {
      const field = resolved(given, written);
      const path = `${prefix}${name}`;
      const required = part.required?.includes(name) === true && schema.type !== undefined ? ' (required)' : '';
      rows.push(`| \`${path}\`${required} | ${typeOf(field)} | ${cell(given.description ?? field.description)} |`);
      const inner = field.items === undefined ? field : resolved(field.items, written);
      if (depth < 2) visit(inner, field.items === undefined ? `${path}.` : `${path}[].`, depth + 1);
    }
  };
  visit(schema, '', 0);
  return rows.length === 0
    ? 'No documented fields.'
    : ['| field | type and limits | meaning |', '|---|---|---|', ...rows].join('\n');
}

const openBody = (body: JsonSchema): string =>
  body.additionalProperties === true
    ? 'The API document shows no other fields. To send another field, pass it through `extraBody`.'
    : 'The client sends only these fields.';

function errors({ errorForm }: Endpoint): string {
  const form = errorForm === 'error' ? '`{ error }`' : '`{ success, message }`';
  return (
    `If the service refuses a call, its reply has the form ${form}. The API document does not say which status means which error. ` +
    'The client throws an `ApiError` with `status` and the text. Invalid arguments throw an `InvalidRequestError` before anything is ' +
    'sent. [Errors](../../docs/errors.md) lists all classes.'
  );
}

const limitWords: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  minLength: 'minimum length',
  maxLength: 'maximum length',
  default: 'default',
};

function typeOf(schema: JsonSchema): string {
  const { anyOf, items } = schema;
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (items !== undefined) return `array of ${typeOf(items)}`;
  const limits = schema as Readonly<Record<string, unknown>>;
  const values = (limits['enum'] ?? limits['examples']) as readonly unknown[] | undefined;
  const known = values?.map((value) => `\`${String(value)}\``).join(', ');
  const range = Object.entries(limitWords).flatMap(([name, words]) => {
    const value = limits[name];
    return typeof value === 'number' || typeof value === 'string' ? [`${words} ${String(value)}`] : [];
  });
  const type = schema.$ref === undefined ? String(schema.type ?? 'object') : 'object';
  const format = limits['format'];
  return [
    typeof format === 'string' ? `${type} (${format})` : type.replace(',', ' or '),
    ...(known === undefined ? [] : [`${limits['enum'] === undefined ? 'known values' : 'one of'} ${known}`]),
    ...range,
  ].join(', ');
}

const cell = (text: string | undefined): string => (text ?? '').replaceAll('|', '\\|').replace(/\s+/g, ' ');

function schemaOf(schema: unknown, written: ReadonlyMap<string, JsonSchema>): JsonSchema {
  const found = written.get(schemaNames.get(schema) ?? '');
  if (found === undefined) throw new Error('an endpoint has a schema that the schemas entry does not export');
  return resolved(found, written);
}

function resolved(schema: JsonSchema, written: ReadonlyMap<string, JsonSchema>): JsonSchema {
  const target = schema.$ref === undefined ? undefined : written.get(schema.$ref.split('/').at(-1) ?? '');
  return target === undefined
    ? schema
    : { ...target, ...(schema.description === undefined ? {} : { description: schema.description }) };
}

/** The parts of a document below its `##` headings. */
function readSections(path: string): ReadonlyMap<string, string> {
  const parts = readFileSync(path, 'utf8').split(/^## /m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n')).trim()]));
}

function readChoices(): ReadonlyMap<string, string> {
  const [, table = ''] = readFileSync('docs/emulator.md', 'utf8').split(
    "## The emulator's choices for undocumented behavior",
  );
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| point |'));
  return new Map(rows.map((line) => [line.split(' | ')[0]?.slice(2) ?? '', line]));
}

function rowsOf(name: string, choices: ReadonlyMap<string, string>): readonly string[] {
  return (choicesOf[name] ?? []).map((first) => {
    const found = choices.get(first);
    if (found === undefined) throw new Error(`docs/emulator.md has no choice "${first}", which ${name} names.`);
    // The links of the row are relative to docs.
    return found.replace(/\]\((?!https?:)([^)]+)\)/g, '](../../docs/$1)');
  });
}
