import { useEffect, useRef } from 'preact/hooks';
import type { Integration } from 'social-publishing';
import { BusyButton } from '../../parts/Busy.js';
import { changeHealth, healthActions, type HealthAction } from '../../state/account-health.js';
import { isConnected, titleOf } from '../../state/accounts.js';

const labels: Readonly<Record<HealthAction, string>> = {
  expire: 'Expire token',
  fail: 'Fail authorization',
  reconnect: 'Reconnect',
};

/** Changes the health of an account: its publications fail until it is connected again. */
export function HealthButtons({ account }: { readonly account: Integration }) {
  const works = isConnected(account);
  const group = useRef<HTMLDivElement>(null);
  const isPressed = useRef(false);
  useEffect(() => {
    // The pressed button has disappeared: without this, the focus would be lost with it.
    if (isPressed.current && document.activeElement === document.body) group.current?.querySelector('button')?.focus();
    isPressed.current = false;
  }, [works]);
  return (
    <div ref={group} class="button-row button-fill" role="group" aria-label={`Health of ${titleOf(account)}`}>
      {healthActions(account).map((action) => (
        <BusyButton
          key={action}
          class={action === 'reconnect' ? 'button button-small button-main' : 'button button-small'}
          label={`${labels[action]}: ${titleOf(account)}`}
          onPress={() => {
            isPressed.current = true;
            return changeHealth(account, action);
          }}
        >
          {labels[action]}
        </BusyButton>
      ))}
    </div>
  );
}
