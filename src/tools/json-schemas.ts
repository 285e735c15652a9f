/**
 * The JSON Schemas of the tools: of inputs, as the APIs that call functions accept them, and of results. The tools check every
 * input, so a lost limit does no harm.
 */
import { ConfigurationError } from '../core/errors.js';
import type { ToolJsonSchema, ToolStatus } from './tool.js';

/** An API that calls functions. */
export type JsonToolsTarget = 'openai' | 'openai-strict' | 'anthropic' | 'gemini';

/** A JSON Schema, or a part of it. */
export type AnySchema = Readonly<Record<string, unknown>>;

export function parametersFor(target: JsonToolsTarget, tool: string, schema: ToolJsonSchema): ToolJsonSchema {
  const { $schema: _, ...plain } = schema;
  if (target === 'openai-strict') return { ...strict(plain, [tool]), type: 'object' };
  if (target === 'gemini') return { ...geminiSchema(plain, [tool]), type: 'object' };
  return { ...plain, type: 'object' };
}

function mapped(schemas: unknown, change: (schema: unknown, name: string) => AnySchema): AnySchema {
  const entries = Object.entries((schemas ?? {}) as AnySchema);
  return Object.fromEntries(entries.map(([name, schema]) => [name, change(schema, name)]));
}

/** The named fields of a schema that are present. */
function kept(schema: AnySchema, names: readonly string[]): AnySchema {
  return Object.fromEntries(names.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]));
}

function alternativesOf({ anyOf, oneOf }: AnySchema): readonly unknown[] | undefined {
  return (anyOf ?? oneOf) as readonly unknown[] | undefined;
}

function typesOf({ type }: AnySchema): readonly unknown[] {
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [type];
}

function refuse(target: JsonToolsTarget, [tool = '', ...path]: readonly string[], problem: string): never {
  const field = path.length === 0 ? 'its input' : `its field ${path.join('.')}`;
  throw new ConfigurationError(
    `'${target}' cannot express the tool ${tool}: ${field} ${problem}. Exclude the tool, or pass another value as for.`,
  );
}

/** Their meaning would be lost. All other unknown keywords are only limits. */
const notStrict = ['allOf', 'not', 'if', 'patternProperties', 'prefixItems', 'dependentRequired', 'dependentSchemas'];

/** Every field is required. An optional field accepts `null`, which the tools read as an omitted field. */
function strict(value: unknown, path: readonly string[]): AnySchema {
  if (typeof value !== 'object' || value === null) return refuse('openai-strict', path, 'accepts any value');
  const schema = value as AnySchema;
  const lost = notStrict.find((name) => schema[name] !== undefined);
  if (lost !== undefined) refuse('openai-strict', path, `has ${lost}`);
  const own = kept(schema, ['type', 'description', 'enum', 'const', '$ref']);
  const defs = schema['$defs'] === undefined ? {} : { $defs: mapped(schema['$defs'], (def) => strict(def, path)) };
  const alternatives = alternativesOf(schema);
  if (alternatives !== undefined)
    return { ...own, ...defs, anyOf: alternatives.map((alternative) => strict(alternative, path)) };
  const types = typesOf(schema);
  if (types.length === 0 && ['enum', 'const', '$ref'].every((name) => schema[name] === undefined))
    refuse('openai-strict', path, 'accepts any value');
  return {
    ...own,
    ...defs,
    ...(types.includes('object') && strictObject(schema, path)),
    ...(types.includes('array') && { items: strict(schema['items'], [...path, 'items']) }),
  };
}

function strictObject({ properties, required = [], additionalProperties = false }: AnySchema, path: readonly string[]) {
  if (properties === undefined || additionalProperties !== false)
    refuse('openai-strict', path, 'accepts fields of any name');
  const isRequired = new Set(required as readonly string[]);
  return {
    properties: mapped(properties, (inner, name) => {
      const property = strict(inner, [...path, name]);
      return isRequired.has(name) ? property : nullable(property);
    }),
    required: Object.keys(properties as object),
    additionalProperties: false,
  };
}

function nullable({ description, ...schema }: AnySchema): AnySchema {
  const note = description === undefined ? {} : { description };
  if (schema['anyOf'] !== undefined)
    return { ...note, ...schema, anyOf: [...(schema['anyOf'] as readonly unknown[]), { type: 'null' }] };
  const { const: only, ...other } = schema;
  const values = (only === undefined ? schema['enum'] : [only]) as readonly unknown[] | undefined;
  const types = typesOf(schema);
  if (types.length === 0) return { ...note, anyOf: [schema, { type: 'null' }] };
  return { ...note, ...other, type: [...types, 'null'], ...(values && { enum: [...values, null] }) };
}

/** The fields of Gemini's Schema that say the same as in JSON Schema. */
const geminiFields = [
  ...['description', 'title', 'default', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'required'],
];

/** Gemini refuses other formats of texts. */
const geminiFormats: ReadonlySet<unknown> = new Set(['date-time', 'enum', 'int32', 'int64', 'float', 'double']);

const isNull = (value: unknown) =>
  typeof value === 'object' && value !== null && (value as AnySchema)['type'] === 'null';

function geminiSchema(value: unknown, path: readonly string[]): AnySchema {
  if (typeof value !== 'object' || value === null) return refuse('gemini', path, 'accepts any value');
  const schema = value as AnySchema;
  const types = typesOf(schema).filter((type) => type !== 'null');
  const alternatives = alternativesOf(schema) ?? (types.length > 1 ? types.map((type) => ({ ...schema, type })) : []);
  const isNullable = typesOf(schema).includes('null') || alternatives.some(isNull);
  const note = isNullable ? { nullable: true } : {};
  if (alternatives.length > 0) return geminiAlternatives(schema, alternatives, note, path);
  const [type] = types;
  if (type === undefined) return refuse('gemini', path, 'has no type');
  const values = (schema['const'] === undefined ? schema['enum'] : [schema['const']]) as readonly unknown[] | undefined;
  return {
    type,
    ...note,
    ...kept(schema, geminiFields),
    ...(geminiFormats.has(schema['format']) && kept(schema, ['format'])),
    // Only texts can have an enum.
    ...(type === 'string' && values && { enum: values.filter((item) => item !== null) }),
    ...(type === 'object' && {
      properties: mapped(schema['properties'], (inner, name) => geminiSchema(inner, [...path, name])),
    }),
    ...(type === 'array' && { items: geminiSchema(schema['items'], [...path, 'items']) }),
  };
}

/** Gemini allows no other field beside `anyOf`, so each alternative has the description. */
function geminiAlternatives(
  { description }: AnySchema,
  alternatives: readonly unknown[],
  note: AnySchema,
  path: readonly string[],
): AnySchema {
  const about = description === undefined ? {} : { description };
  const written = alternatives
    .filter((alternative) => !isNull(alternative))
    .map((alternative) => ({ ...about, ...geminiSchema(alternative, path), ...note }));
  const [only] = written;
  return written.length === 1 && only !== undefined ? only : { anyOf: written };
}

type OutputFields = Readonly<Record<string, AnySchema>>;

/** Fields of any type, named in one text. */
const some = (names: string): OutputFields => Object.fromEntries(names.split(' ').map((name) => [name, {}]));
const object = (properties: OutputFields): AnySchema => ({ type: 'object', properties });
/** The list of a result. */
const list = (name: string, fields: OutputFields): OutputFields => ({
  [name]: { type: 'array', items: object(fields) },
});
/** A short list, and how many items it leaves out. */
const short = (name: string, fields: OutputFields): OutputFields => ({ ...list(name, fields), [`more_${name}`]: {} });

const targets = short('targets', some('platform accountId state url error warning publishedAt platformPostId'));
const post: OutputFields = { ...some('postId status content scheduledFor createdAt'), ...targets };
/** A post by its key. */
const intent: OutputFields = { ...post, ...some('key state replayed attempts sendAt') };
const held: OutputFields = {
  ...intent,
  ...some('error accountIds'),
  lookup: object(some('at since result error postIds')),
};
const account = some('accountId platform username health authStatus authFailureReason profileId untrustedText');
const message = some('id authorId timestamp untrustedText');
const reply: OutputFields = { ...message, likeCount: {} };

/** The fields of an error: a wrong input, or a refusal. */
const problem = some('issues error name httpStatus');
/** The neighbours of a local time that clocks skip or repeat. */
const times = some('field earlier later');
const page: OutputFields = { cursor: { description: 'For the next items. Missing: no more.' } };
const credits = some('creditsUsed maxCredits');

/** The fields of `data` by tool. */
const dataOf: Readonly<Record<string, OutputFields>> = {
  list_accounts: { ...list('accounts', account), total: {}, ...page },
  accounts_needing_attention: {
    ...list('accounts', some('accountId platform username reason expiresAt untrustedText')),
    ...page,
  },
  list_posts: { ...list('posts', post), total: {}, ...page, ...times },
  get_post: { ...intent, final: {} },
  preview_post: {
    request: object(some('method path body')),
    ...some('scheduledFor timeZone needsApproval'),
    ...short('accounts', account),
    ...short('findings', some('code severity message path platform accountId')),
    existing: object(some('state postId sameContent')),
    ...times,
  },
  create_post: { ...intent, ...times },
  edit_post: { ...intent, ...times },
  cancel_post: intent,
  wait_for_post: { ...intent, final: {} },
  retry_failed_targets: { ...intent, retryKey: {} },
  list_held_posts: { ...list('posts', held), ...page },
  resolve_post: held,
  list_comments: { ...list('comments', { ...reply, hidden: {}, ...short('replies', reply) }), ...page },
  list_conversations: {
    selfId: {},
    ...list('conversations', {
      ...some('conversationId updatedTime'),
      ...short('participants', some('id untrustedText')),
      lastMessage: object(message),
    }),
    ...page,
  },
  list_messages: { ...list('messages', message), ...page },
  send_message: some('key messageId markedAt replayed'),
  create_automation: some('key automationId automationStatus markedAt replayed'),
  post_analytics: {
    ...some('postId source content publishedAt mediaType aggregated platforms more_platforms'),
    ...credits,
  },
  account_insights: { ...some('accountId metricType dateRange metrics dataDelay'), ...credits },
};

/** Every tool. Some need a publisher, a store or a budget. */
export const allNames: readonly string[] = Object.keys(dataOf);

const statuses = ['ok', 'held', 'needs_approval', 'rejected', 'invalid', 'failed'] satisfies readonly ToolStatus[];

/** Returns the JSON Schema of a tool's whole result. */
export function outputSchemaOf(tool: string): ToolJsonSchema {
  const text = { type: 'string' };
  return {
    type: 'object',
    properties: {
      status: { enum: statuses },
      summary: text,
      data: object({ ...dataOf[tool], ...problem, truncated: {} }),
      next: text,
    },
    required: ['status', 'summary'],
    additionalProperties: false,
  };
}
