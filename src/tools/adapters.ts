import { checkConfiguration, oneOf, optionsOf } from '../core/call/options.js';
import { keepNewest } from '../core/runtime.js';
import { parametersFor, type JsonToolsTarget } from './json-schemas.js';
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
  const { approvedBy } = options;
  return Object.fromEntries(
    tools.map((tool) => [tool.name, approvedBy === 'framework' ? trusting(tool) : asking(tool)]),
  );
}

function asking(tool: Tool): AiTool {
  const { description, inputSchema } = tool;
  return {
    description,
    inputSchema,
    needsApproval: (input) => tool.needsApproval(input),
    execute: (input, { abortSignal } = {}) => tool.execute(input, { signal: abortSignal }),
  };
}

function trusting(tool: Tool): AiTool {
  return {
    ...asking(tool),
    needsApproval: (input, { toolCallId } = {}) => isAskedFor(tool, input, toolCallId),
    execute: (input, { abortSignal, toolCallId = '' } = {}) => {
      const wasAsked = callsNotAsked.get(tool)?.has(toolCallId) !== true;
      const approve: Approve = () => true;
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
  return tools.map(({ name, description, jsonSchema }) => {
    if (target === undefined) return { name, description, parameters: jsonSchema };
    const tool = { name, description, parameters: parametersFor(target, name, jsonSchema) };
    // OpenAI's Responses API is strict by default.
    if (target === 'openai' || target === 'openai-strict') return { ...tool, strict: target === 'openai-strict' };
    return tool;
  });
}
