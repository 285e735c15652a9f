import type { Integration } from 'social-publishing';
import { BusyButton } from '../../parts/Busy.js';
import { changeHealth, healthActions, type HealthAction } from '../../state/account-health.js';
import { titleOf } from '../../state/accounts.js';

const labels: Readonly<Record<HealthAction, string>> = {
  expire: 'Expire token',
  fail: 'Fail authorization',
  reconnect: 'Reconnect',
};

/** Changes the health of an account: its publications fail until it is connected again. */
export function HealthButtons({ account }: { readonly account: Integration }) {
  return (
    <div
      class="button-row button-fill"
      role="group"
      aria-label={`Health of ${titleOf(account)}`}
      onClickCapture={(event) => {
        // The first press exchanges the buttons: the second press of a double click would hit another one.
        if (event.detail > 1) event.stopPropagation();
      }}
    >
      {healthActions(account).map((action) => (
        <BusyButton
          key={action}
          class={action === 'reconnect' ? 'button button-small button-main' : 'button button-small'}
          label={`${labels[action]}: ${titleOf(account)}`}
          onPress={() => changeHealth(account, action)}
        >
          {labels[action]}
        </BusyButton>
      ))}
    </div>
  );
}
