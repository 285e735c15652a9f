import type { IntegrationDetail } from '../../resources/integrations.js';
import type { Store } from './store.js';
import { instant, timestamp } from './time.js';

/** An integration whose access token has run out: it must be connected again. */
function expired(integration: IntegrationDetail, at: string): IntegrationDetail {
  return {
    ...integration,
    authStatus: 'expired',
    authFailureReason: 'token_expired',
    tokenStatus: { valid: false, autoRefreshes: false, reconnectRequired: true, reason: 'token_expired' },
    updatedAt: at,
  };
}

/** When an integration's token runs out, in milliseconds; `NaN` where it does not. */
function endOf({ accessTokenExpiresAt, authStatus, tokenStatus }: IntegrationDetail): number {
  if (authStatus !== 'active' || tokenStatus?.autoRefreshes === true) return Number.NaN;
  return instant(accessTokenExpiresAt ?? '');
}

/**
 * Lets an integration's token run out at the end that it was given, at once where that is past. The end of the token that it
 * had before is not waited for any more.
 */
export function planExpiry(store: Store, integration: IntegrationDetail, now: number): IntegrationDetail {
  const { id } = integration;
  const before = store.state.integrations.get(id);
  if (before !== undefined) store.unschedule((job) => job.kind === 'expire' && job.accountId === id, endOf(before));
  const at = endOf(integration);
  if (Number.isNaN(at)) return integration;
  if (at <= now) return expired(integration, timestamp(at));
  store.schedule(at, { kind: 'expire', accountId: id });
  return integration;
}

/** A token's end has come. One that was connected anew since has another end. */
export function expireToken({ state }: Store, accountId: string, at: number): void {
  const integration = state.integrations.get(accountId);
  if (integration === undefined || endOf(integration) !== at) return;
  state.integrations.set(accountId, expired(integration, timestamp(at)));
}

/** Why an account can do nothing on its platform. `undefined`: it can. */
export function connectionError(integration: IntegrationDetail | undefined): string | undefined {
  const { authStatus = 'active', authFailureReason } = integration ?? {};
  if (authStatus === 'active') return undefined;
  return `The account must be connected again (${authFailureReason ?? authStatus}).`;
}
