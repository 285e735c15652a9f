import { withoutUndefined } from '../../core/json.js';
import type { IntegrationDetail } from '../../resources/integrations.js';
import { platformUrl } from '../state/post-view.js';
import { dayMs, timestamp } from '../state/time.js';
import { planExpiry } from '../state/tokens.js';
import { countIntegration } from './apps.js';
import type { Service } from './handler.js';

const accessTokenDays = 60;
const refreshTokenDays = 365;

/** Saves an integration and fills in its missing fields. */
export function connect(
  { store, clock }: Service,
  fields: Partial<IntegrationDetail> & { platform: string },
): IntegrationDetail {
  const number = store.count('account');
  const now = clock.now();
  const id = fields.id ?? store.id('integration');
  const username = fields.username ?? `account${String(number)}`;
  const app = countIntegration(store, fields.appId, store.state.integrations.get(id)?.appId);
  const integration: IntegrationDetail = {
    id,
    platformUserId: String(17_841_400_000_000 + number),
    username,
    displayName: username,
    profileUrl: `${platformUrl(fields.platform)}/${encodeURIComponent(username)}`,
    imageUrl: `https://images.service.invalid/${encodeURIComponent(username)}.png`,
    platformMetadata: {},
    profileId: null,
    ...(app === undefined ? {} : { app }),
    byok: fields.appId !== undefined,
    authStatus: 'active',
    insightsReadable: fields.platform === 'instagram',
    createdAt: timestamp(now),
    ...tokenOf(fields, now),
    updatedAt: timestamp(now),
    ...withoutUndefined(fields),
  };
  const connected = planExpiry(store, integration, now);
  store.state.integrations.set(id, connected);
  return connected;
}

/**
 * Returns the token of an account. A token with an expiry isn't refreshed automatically; others are, as long as they
 * work.
 */
function tokenOf(
  { authStatus = 'active', authFailureReason = authStatus, accessTokenExpiresAt }: Partial<IntegrationDetail>,
  now: number,
): Pick<IntegrationDetail, 'scopes' | 'accessTokenExpiresAt' | 'refreshTokenExpiresAt' | 'tokenStatus'> {
  const works = authStatus === 'active';
  return {
    scopes: [],
    accessTokenExpiresAt: timestamp(now + (works ? accessTokenDays : -1) * dayMs),
    refreshTokenExpiresAt: timestamp(now + refreshTokenDays * dayMs),
    tokenStatus: {
      valid: works,
      autoRefreshes: works && accessTokenExpiresAt === undefined,
      reconnectRequired: !works,
      ...(works ? {} : { reason: authFailureReason }),
    },
  };
}
