import { issueAt } from '../../core/options.js';
import type { Endpoint } from '../../core/endpoint.js';
import { formatIssues } from '../../core/errors.js';
import { checkInPlace, type Drift } from '../../schema/check.js';
import { describeIssues } from '../../schema/issues.js';

/** Throws if a reply differs from the document: that is a bug of the emulator, not of the caller. */
export function checkReply(endpoint: Endpoint, reply: unknown): void {
  const drifts: Drift[] = [];
  const result = checkInPlace(endpoint.response(), reply, drifts);
  const issues = result.success ? [] : describeIssues(result.error.issues, undefined, 'the reply');
  for (const { path, expected, received } of drifts) issues.push(issueAt(path, `must be ${expected}, is ${received}`));
  if (issues.length > 0)
    throw new Error(`The emulator's own reply to ${endpoint.route} is wrong: ${formatIssues(issues)}`);
}
