import { useEffect, useRef } from 'preact/hooks';
import type { Integration } from 'social-publishing';
import { BusyButton } from '../../parts/Busy.js';
import { nameOf } from '../../state/accounts.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { post } from '../../world/workbench.js';

type HealthAction = 'expire' | 'fail' | 'reconnect';

const words: Readonly<Record<HealthAction, { readonly label: string; readonly done: string }>> = {
  expire: { label: 'Expire token', done: 'The token is expired.' },
  fail: { label: 'Fail authorization', done: 'The authorization failed.' },
  reconnect: { label: 'Reconnect', done: 'The account is connected again.' },
};

/** Changes the health of an account: its publications fail until it is connected again. */
export function HealthButtons({ account }: { readonly account: Integration }) {
  const works = account.authStatus === undefined || account.authStatus === 'active';
  const offered: readonly HealthAction[] = works ? ['expire', 'fail'] : ['reconnect'];
  const group = useRef<HTMLDivElement>(null);
  const isPressed = useRef(false);
  useEffect(() => {
    // The pressed button has disappeared: without this, the focus would be lost with it.
    if (isPressed.current && document.activeElement === document.body) group.current?.querySelector('button')?.focus();
    isPressed.current = false;
  }, [works]);
  return (
    <div ref={group} class="button-row" role="group" aria-label={`Health of ${nameOf(account)}`}>
      {offered.map((action) => (
        <BusyButton
          key={action}
          class={action === 'reconnect' ? 'button button-small button-main' : 'button button-small'}
          label={`${words[action].label}: ${nameOf(account)}`}
          onPress={async () => {
            isPressed.current = true;
            await post(`accounts/${encodeURIComponent(account.id)}/${action}`);
            notify(`${nameOf(account)}: ${words[action].done}`);
            changed('account');
          }}
        >
          {words[action].label}
        </BusyButton>
      ))}
    </div>
  );
}
