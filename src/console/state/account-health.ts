import type { Integration } from 'social-publishing';
import { post } from '../world/workbench.js';
import { isConnected, titleOf } from './accounts.js';
import { changed } from './live.js';
import { notify } from './notices.js';

export type HealthAction = 'expire' | 'fail' | 'reconnect';

const results: Readonly<Record<HealthAction, string>> = {
  expire: 'The token is expired.',
  fail: 'The authorization failed.',
  reconnect: 'The account is connected again.',
};

/** Returns the changes that are possible now. */
export const healthActions = (account: Integration): readonly HealthAction[] =>
  isConnected(account) ? ['expire', 'fail'] : ['reconnect'];

/** Changes the health of an account: its publications fail until it is connected again. */
export async function changeHealth(account: Integration, action: HealthAction): Promise<void> {
  await post(`accounts/${encodeURIComponent(account.id)}/${action}`);
  notify(`${titleOf(account)}: ${results[action]}`);
  changed('account');
}
