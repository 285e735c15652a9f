import { formatIssues, type Issue } from '../../core/errors.js';
import { describeIssues } from '../../schema/issues.js';
import { safeParse } from '../../schema/check.js';
import type * as z from 'zod/mini';

/** An error reply of the service, thrown by a handler. The router formats it for the operation. */
export class ErrorReply extends Error {
  override readonly name = 'ErrorReply';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function invalidRequest(issues: readonly Issue[]): ErrorReply {
  return new ErrorReply(400, `The request is not valid: ${formatIssues(issues)}`);
}

export function parsedRequest<T>(schema: z.ZodMiniType<T>, value: unknown): T {
  const result = safeParse(schema, value);
  if (result.success) return result.data;
  throw invalidRequest(describeIssues(result.error.issues));
}
