import type { Endpoint } from '../../core/endpoint.js';
import { formatIssue, type Issue } from '../../core/errors.js';
import { describeIssues } from '../../schema/issues.js';
import { fromWire } from '../../schema/wire.js';

/** A reply that breaks the document is a mistake of the emulator, not of the caller. */
export function checkReply(endpoint: Endpoint, reply: unknown): void {
  const issues: Issue[] = [];
  const schema = endpoint.response();
  fromWire(schema, reply, ({ path, expected, received }) => {
    issues.push({ path, message: `must be ${expected}, is ${received}` });
  });
  const result = schema.safeParse(reply);
  if (!result.success) issues.push(...describeIssues(result.error.issues));
  if (issues.length > 0)
    throw new Error(`The emulator's own reply to ${endpoint.route} is wrong: ${issues.map(formatIssue).join('; ')}`);
}
