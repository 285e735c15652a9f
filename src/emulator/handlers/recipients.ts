import { issueAt } from '../../core/options.js';
import type { Issue } from '../../core/errors.js';

/** Somebody, an @, and a host: no more is known of what the service takes. */
const address = /^[^\s@]+@[^\s@]+$/;

/** Recipients of email that can't be addresses. */
export function recipientIssues(recipients: readonly string[] = []): Issue[] {
  return recipients.flatMap((recipient, index) =>
    address.test(recipient) ? [] : [issueAt(['email', 'recipients', index], 'must be an email address')],
  );
}
