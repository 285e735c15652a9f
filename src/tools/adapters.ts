import { checkConfiguration, oneOf, optionsOf } from '../core/call/options.js';
import { ConfigurationError } from '../core/errors.js';
import { isFields, type Fields } from '../core/json.js';
import { keepNewest } from '../core/runtime.js';
import type { Approve, Tool, ToolInputSchema, ToolJsonSchema, ToolResult } from './tool.js';

/** Options of {@link toAiTools}. */
export interface AiToolsOptions {
  /**
   * `framework`: the framework asks the user if `needsApproval` returns true, and `execute` relies on that. If you omit
   * it, `execute` calls the `approve` of `createTools`. If `approve` is missing too, such a call returns
   * `needs_approval`.
   */
  readonly approvedBy?: 'framework' | undefined;
}

/** The options that the `ai` package passes to a tool. */
export interface AiCallOptions {
  /** Aborts the call. */
  readonly abortSignal?: AbortSignal | undefined;
  /** The ID of the call. */
  readonly toolCallId?: string | undefined;
}

/** A tool in the form of the `ai` package. */
export interface AiTool {
  /** The effect, for the model. */
  readonly description: string;
  /** The schema of its input. */
  readonly inputSchema: ToolInputSchema;
  /** Executes a call. */
  readonly execute: (input: unknown, options?: AiCallOptions) => Promise<ToolResult>;
  /** Returns whether the user must approve a call. `ai` 7 deprecates it in favour of `toolApproval`. */
  readonly needsApproval: (input: unknown, options?: AiCallOptions) => Promise<boolean>;
}

/** A tool for an API that calls functions. */
export interface JsonTool {
  /** The name. */
  readonly name: string;
  /** The effect, for the model. */
  readonly description: string;
  /** The input as JSON Schema. */
  readonly parameters: ToolJsonSchema;
  /** Whether OpenAI guarantees that calls match the schema. Only for `openai` and `openai-strict`. */
  readonly strict?: boolean;
}

const aiToolsOptions = optionsOf<AiToolsOptions>('an option of toAiTools', { approvedBy: oneOf('framework') });

/** The maximum number of remembered calls that needed no approval. */
const mostRemembered = 1_000;

/**
 * Returns the tools for the `ai` package, by name.
 *
 * @example
 * ```ts
 * await generateText({ model, prompt, tools: toAiTools(tools), toolApproval: toolApproval(tools) });
 * ```
 */
export function toAiTools(tools: readonly Tool[], options: AiToolsOptions = {}): Record<string, AiTool> {
  checkConfiguration(aiToolsOptions, options);
  return Object.fromEntries(tools.map((tool) => [tool.name, aiTool(tool, options)]));
}

function aiTool(tool: Tool, { approvedBy }: AiToolsOptions): AiTool {
  const { description, inputSchema } = tool;
  const approve: Approve = () => true;
  return {
    description,
    inputSchema,
    needsApproval: (input, { toolCallId } = {}) => isAskedFor(tool, input, toolCallId),
    execute: (input, { abortSignal, toolCallId = '' } = {}) => {
      const wasAsked = approvedBy === 'framework' && callsNotAsked.get(tool)?.has(toolCallId) !== true;
      return tool.execute(input, { signal: abortSignal, ...(wasAsked && { approve }) });
    },
  };
}

/**
 * The IDs of calls that needed no approval. The publication time can come near before such a call is executed, without
 * an approval.
 */
const callsNotAsked = new WeakMap<Tool, Set<string>>();

async function isAskedFor(tool: Tool, input: unknown, toolCallId: string | undefined): Promise<boolean> {
  const isNeeded = await tool.needsApproval(input);
  if (toolCallId === undefined) return isNeeded;
  const ids = callsNotAsked.get(tool) ?? new Set();
  if (isNeeded) {
    ids.delete(toolCallId);
    return true;
  }
  callsNotAsked.set(tool, ids.add(toolCallId));
  keepNewest(ids, mostRemembered);
  return false;
}

/** The function that `toolApproval` of the `ai` package accepts for each tool. */
export type ToolApproval = (input: unknown, options?: AiCallOptions) => Promise<'user-approval' | 'not-applicable'>;

/**
 * Returns the value for the option `toolApproval` of the `ai` package: it asks the user before each call that needs
 * approval. Use it with `approvedBy: 'framework'`.
 *
 * @example
 * ```ts
 * const aiTools = toAiTools(tools, { approvedBy: 'framework' });
 * await generateText({ model, prompt, tools: aiTools, toolApproval: toolApproval(tools) });
 * ```
 */
export function toolApproval(tools: readonly Tool[]): Record<string, ToolApproval> {
  return Object.fromEntries(
    tools.map((tool): [string, ToolApproval] => [
      tool.name,
      async (input, { toolCallId } = {}) =>
        (await isAskedFor(tool, input, toolCallId)) ? 'user-approval' : 'not-applicable',
    ]),
  );
}

/** An API that calls functions. */
export type JsonToolsTarget = 'openai' | 'openai-strict' | 'anthropic' | 'gemini';

/** Options of {@link toJsonTools}. */
export interface JsonToolsOptions {
  /**
   * The API that gets the tools. Then `parameters` contains only keywords that this API accepts. If you omit it,
   * `parameters` is the tool's `jsonSchema`.
   *
   * - `openai`: function calling without strict mode
   * - `openai-strict`: function calling in strict mode. Every field is required, and optional fields accept `null`
   * - `anthropic`: the tools of the Messages API
   * - `gemini`: function declarations, in the subset of OpenAPI that Gemini accepts
   */
  readonly for?: JsonToolsTarget | undefined;
}

const jsonToolsOptions = optionsOf<JsonToolsOptions>('an option of toJsonTools', {
  for: oneOf('openai', 'openai-strict', 'anthropic', 'gemini'),
});

/**
 * Returns the tools for any API that calls functions.
 *
 * @example
 * ```ts
 * const functions = toJsonTools(tools, { for: 'openai-strict' });
 * const result = await tools.find(({ name }) => name === call.name)?.execute(JSON.parse(call.arguments));
 * ```
 * @throws `ConfigurationError` an option is invalid, or the API cannot express the input of a tool
 */
export function toJsonTools(tools: readonly Tool[], options: JsonToolsOptions = {}): JsonTool[] {
  checkConfiguration(jsonToolsOptions, options);
  const { for: target } = options;
  // OpenAI's Responses API is strict by default.
  const mode = target === 'openai' || target === 'openai-strict' ? { strict: target === 'openai-strict' } : {};
  return tools.map(({ name, description, jsonSchema }) => {
    const parameters = target === undefined ? jsonSchema : parametersFor(target, name, jsonSchema);
    return { name, description, parameters, ...mode };
  });
}

// The inputs as the APIs that call functions accept them. The tools check every input, so a lost limit does no harm.

function parametersFor(target: JsonToolsTarget, tool: string, schema: ToolJsonSchema): ToolJsonSchema {
  const { $schema: _, ...plain } = schema;
  if (target === 'openai-strict') return { ...strict(plain, [tool]), type: 'object' };
  if (target === 'gemini') return { ...geminiSchema(plain, [tool]), type: 'object' };
  return { ...plain, type: 'object' };
}

function mapped(schemas: unknown, change: (schema: unknown, name: string) => Fields): Fields {
  const entries = Object.entries((schemas ?? {}) as Fields);
  return Object.fromEntries(entries.map(([name, schema]) => [name, change(schema, name)]));
}

/** The named fields of a schema that are present. */
function kept(schema: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]));
}

function alternativesOf({ anyOf, oneOf }: Fields): readonly unknown[] | undefined {
  return (anyOf ?? oneOf) as readonly unknown[] | undefined;
}

function typesOf({ type }: Fields): readonly unknown[] {
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [type];
}

/** The only values that a schema allows. */
function valuesOf({ const: only, enum: several }: Fields): readonly unknown[] | undefined {
  return only === undefined ? (several as readonly unknown[] | undefined) : [only];
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
function strict(schema: unknown, path: readonly string[]): Fields {
  if (!isFields(schema)) return refuse('openai-strict', path, 'accepts any value');
  const lost = notStrict.find((name) => schema[name] !== undefined);
  if (lost !== undefined) refuse('openai-strict', path, `has ${lost}`);
  const { $ref, description } = schema;
  // OpenAI refuses other keywords beside a reference.
  if ($ref !== undefined) return description === undefined ? { $ref } : { description, anyOf: [{ $ref }] };
  const own = kept(schema, ['type', 'description', 'enum', 'const']);
  const defs = schema['$defs'] === undefined ? {} : { $defs: mapped(schema['$defs'], (def) => strict(def, path)) };
  const alternatives = alternativesOf(schema);
  if (alternatives !== undefined)
    return { ...own, ...defs, anyOf: alternatives.map((alternative) => strict(alternative, path)) };
  const types = typesOf(schema);
  if (types.length === 0 && ['enum', 'const'].every((name) => schema[name] === undefined))
    refuse('openai-strict', path, 'accepts any value');
  return {
    ...own,
    ...defs,
    ...(types.includes('object') && strictObject(schema, path)),
    ...(types.includes('array') && { items: strict(schema['items'], [...path, 'items']) }),
  };
}

function strictObject({ properties, required = [], additionalProperties = false }: Fields, path: readonly string[]) {
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

function nullable({ description, ...schema }: Fields): Fields {
  const note = description === undefined ? {} : { description };
  if (schema['anyOf'] !== undefined)
    return { ...note, ...schema, anyOf: [...(schema['anyOf'] as readonly unknown[]), { type: 'null' }] };
  const { const: _, ...other } = schema;
  const values = valuesOf(schema);
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

const isNull = (schema: unknown) => isFields(schema) && schema['type'] === 'null';

function geminiSchema(schema: unknown, path: readonly string[]): Fields {
  if (!isFields(schema)) return refuse('gemini', path, 'accepts any value');
  const types = typesOf(schema).filter((type) => type !== 'null');
  const alternatives = alternativesOf(schema) ?? (types.length > 1 ? types.map((type) => ({ ...schema, type })) : []);
  const isNullable = typesOf(schema).includes('null') || alternatives.some(isNull);
  const note = isNullable ? { nullable: true } : {};
  if (alternatives.length > 0) return geminiAlternatives(schema, alternatives, note, path);
  const [type] = types;
  if (type === undefined) return refuse('gemini', path, 'has no type');
  if (type === 'object' && Object.keys(schema['properties'] ?? {}).length === 0)
    refuse('gemini', path, 'names no field');
  // Only texts can have an enum, and none of its values is empty.
  const values = type === 'string' ? (valuesOf(schema) ?? []).filter((item) => item !== null && item !== '') : [];
  return {
    type,
    ...note,
    ...kept(schema, geminiFields),
    ...(geminiFormats.has(schema['format']) && kept(schema, ['format'])),
    ...(values.length > 0 && { enum: values }),
    ...(type === 'object' && {
      properties: mapped(schema['properties'], (inner, name) => geminiSchema(inner, [...path, name])),
    }),
    ...(type === 'array' && { items: geminiSchema(schema['items'], [...path, 'items']) }),
  };
}

/** Gemini allows no other field beside `anyOf`, so each alternative has the description. */
function geminiAlternatives(
  { description }: Fields,
  alternatives: readonly unknown[],
  note: Fields,
  path: readonly string[],
): Fields {
  const about = description === undefined ? {} : { description };
  const written = alternatives
    .filter((alternative) => !isNull(alternative))
    .map((alternative) => ({ ...about, ...geminiSchema(alternative, path), ...note }));
  const [only] = written;
  return written.length === 1 && only !== undefined ? only : { anyOf: written };
}
