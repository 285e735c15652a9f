import type { Integration, IntegrationDetail, NeedsAttention } from 'social-publishing';
import { remote } from '../../state/remote.js';
import { background } from '../../world/session.js';

/** An account that needs attention, and why. */
export type Attention = NeedsAttention<Integration | IntegrationDetail>;

/** The accounts that need attention, by ID. */
export const attention = remote(async () => {
  const found = new Map<string, Attention>();
  for await (const account of background().integrations.needingAttention({ withinDays: 7 }))
    found.set(account.integration.id, account);
  return found;
}, ['account', 'clock']);
