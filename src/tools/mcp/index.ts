/**
 * An MCP server with the tools of `social-publishing/tools`.
 *
 * @packageDocumentation
 */
export { createMcpServer, type McpServerOptions } from './create-server.js';
