import type { IntegrationDetail } from '../../resources/integrations.js';
import type { Store } from './store.js';
import { instant, timestamp } from './time.js';

/** Returns an integration with an expired access token: it must be connected again. */
function expired(integration: IntegrationDetail, at: string): IntegrationDetail {
  return {
    ...integration,
    authStatus: 'expired',
    authFailureReason: 'token_expired',
    tokenStatus: { valid: false, autoRefreshes: false, reconnectRequired: true, reason: 'token_expired' },
    updatedAt: at,
  };
}

/** Returns the expiry of an integration's token, in milliseconds; `NaN` if it has none. */
function endOf({ accessTokenExpiresAt, authStatus, tokenStatus }: IntegrationDetail): number {
  if (authStatus !== 'active' || tokenStatus?.autoRefreshes === true) return Number.NaN;
  return instant(accessTokenExpiresAt ?? '');
}

/**
 * Plans the expiry of an integration's token; an expiry in the past applies at once. The expiry of the previous token
 * is cancelled.
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

/** Expires a token. An integration that was connected again since has another expiry. */
export function expireToken(store: Store, accountId: string, at: number): void {
  const { integrations } = store.state;
  const integration = integrations.get(accountId);
  if (integration === undefined || endOf(integration) !== at) return;
  integrations.set(accountId, expired(integration, timestamp(at)));
  store.changed('accounts');
}

/** Returns why an account cannot publish. `undefined`: it can. */
export function connectionError(integration: IntegrationDetail | undefined): string | undefined {
  const { authStatus = 'active', authFailureReason } = integration ?? {};
  if (authStatus === 'active') return undefined;
  return `The account must be connected again (${authFailureReason ?? authStatus}).`;
}
