/**
 * Tools for agents, for the Model Context Protocol, the `ai` package, and any API that calls functions.
 *
 * @packageDocumentation
 */
export { createTools, type ToolsOptions } from './create-tools.js';
export type { PostExtrasSchema, ToolMode, ToolsClient, ToolsPublisher } from './tool.js';
export type {
  ApprovalRequest,
  Approve,
  Tool,
  ToolAnnotations,
  ToolCallOptions,
  ToolInputCheck,
  ToolInputSchema,
  ToolJsonSchema,
  ToolProgress,
  ToolResult,
  ToolStatus,
} from './tool.js';
export {
  toAiTools,
  toJsonTools,
  toolApproval,
  type AiCallOptions,
  type AiTool,
  type AiToolsOptions,
  type JsonTool,
  type JsonToolsOptions,
  type JsonToolsTarget,
  type ToolApproval,
} from './adapters.js';
