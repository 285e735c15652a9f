import type { ToolAnnotations } from './tool.js';

/** Reads the project's own things. */
export const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Reads what people outside of the project wrote or did. */
export const readsWorld: ToolAnnotations = { ...reads, openWorldHint: true };

/** Reads, and costs a credit each time. */
export const paidRead: ToolAnnotations = { ...readsWorld, idempotentHint: false };

/** Adds something that people outside of the project can see. Its key makes it idempotent. */
export const addsOnce: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

/** Records a final decision. */
export const decides: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};
