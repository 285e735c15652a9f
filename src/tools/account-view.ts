import { attentionReason } from '../resources/needing-attention.js';
import type { Integration, IntegrationDetail } from '../resources/integrations.js';
import { defined, type Data } from './results.js';

/** The allowed characters of user names. Other text could be a sentence for the model. */
const handle = /^@?[\w.-]{1,64}$/;

/** The names of an account. A user name is one word. All other texts of the account's owner are untrusted. */
export function accountNames({ username, displayName }: Pick<Integration, 'username' | 'displayName'>): Data {
  const isHandle = username !== undefined && handle.test(username);
  const free = defined({ username: isHandle ? undefined : username, displayName });
  return { ...(isHandle ? { username } : {}), ...(Object.keys(free).length === 0 ? {} : { untrustedText: free }) };
}

export function accountLabel({ id, platform, username }: Integration): string {
  const name = username !== undefined && handle.test(username) ? username : id;
  return `${name} (${platform ?? 'unknown platform'})`;
}

/** An account with its health, as far as the integration shows it. */
export function accountView(account: Integration | IntegrationDetail): Data {
  const { id, platform, profileId, authStatus, authFailureReason } = account;
  return defined({
    accountId: id,
    platform,
    ...accountNames(account),
    health: attentionReason(account, -Infinity) ?? 'ok',
    authStatus,
    authFailureReason,
    profileId,
  });
}
