import type { Integration } from 'social-publishing';
import { post } from '../world/workbench.js';
import { isConnected, titleOf } from './accounts.js';
import { followAddress } from './history.js';
import { changed } from './live.js';
import { dismiss, notify } from './notices.js';
import { posts } from './posts.js';
import { quantity } from './quantity.js';
import { linkTo } from './route.js';
import { accountsOf } from './target-accounts.js';

export type HealthAction = 'expire' | 'fail' | 'reconnect';

const results: Readonly<Record<HealthAction, string>> = {
  expire: 'The token is expired.',
  fail: 'The authorization failed.',
  reconnect: 'The account is connected again.',
};

/** Returns the changes that are possible now. */
export const healthActions = (account: Integration): readonly HealthAction[] =>
  isConnected(account) ? ['expire', 'fail'] : ['reconnect'];

/** The latest notice about each account. */
const latest = new Map<string, number>();

/** Changes the health of an account: its publications fail until it is connected again. */
export async function changeHealth(account: Integration, action: HealthAction): Promise<void> {
  await post(`accounts/${encodeURIComponent(account.id)}/${action}`);
  const failing = action === 'reconnect' ? 0 : scheduledFor(account);
  const text = `${titleOf(account)}: ${results[action]}`;
  // What the page said of it before is no longer true.
  dismiss(latest.get(account.id) ?? 0);
  const notice =
    failing === 0
      ? notify(text)
      : notify(`${text} ${quantity(failing, 'scheduled post', 'scheduled posts')} will fail on it.`, 'warn', {
          label: 'Show',
          run: () => {
            followAddress(linkTo('posts', { status: 'scheduled', account: account.id }));
          },
        });
  latest.set(account.id, notice);
  changed('account');
}

/** Returns the number of scheduled posts with the account as a target. */
export const scheduledFor = ({ id }: Integration): number =>
  posts.value.filter((one) => one.status === 'scheduled' && accountsOf(one).includes(id)).length;
