import { issueAt } from '../../core/options.js';
import type { Issue } from '../../core/errors.js';

/** A user, an @, and a host: the document does not describe more. */
const address = /^[^\s@]+@[^\s@]+$/;

export function recipientIssues(recipients: readonly string[] = []): Issue[] {
  return recipients.flatMap((recipient, index) =>
    address.test(recipient) ? [] : [issueAt(['email', 'recipients', index], 'must be an email address')],
  );
}
