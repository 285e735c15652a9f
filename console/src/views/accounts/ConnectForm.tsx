import type { Integration } from 'social-publishing';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { PlatformOptions } from '../../parts/Options.js';
import { emulatorNow } from '../../state/clock.js';
import { titleOf } from '../../state/accounts.js';
import { followAddress } from '../../state/history.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { linkTo } from '../../state/route.js';
import { post } from '../../world/workbench.js';

const dayMs = 86_400_000;

/** Connects an account. The API document doesn't show how, so the emulator seeds it. */
export function ConnectForm() {
  return (
    <section class="panel connect-panel">
      <h2 tabIndex={-1}>Connect an account</h2>
      <p class="hint">
        The API document does not describe how to connect an account. This form adds one to the emulator.
      </p>
      <Form
        submit="Connect"
        onSubmit={async ({ platform, username, health }, form) => {
          const account = await post<Integration>('seed/integration', { platform, username, ...stateOf(health) });
          form.reset();
          notify(`${titleOf(account)} is connected.`, 'good', {
            label: 'Show',
            run: () => {
              followAddress(linkTo('accounts', { account: account.id }));
            },
          });
          changed('account');
        }}
      >
        <div class="form-row">
          <Field label="Platform">
            <select name="platform">
              <PlatformOptions />
            </select>
          </Field>
          <Field label="Username">
            <input name="username" placeholder="acme" autocomplete="off" required />
          </Field>
          <Field label="Health">
            <select name="health">
              <option value="good">healthy</option>
              <option value="expires">token expires in a day</option>
              <option value="expired">token expired</option>
            </select>
          </Field>
        </div>
      </Form>
    </section>
  );
}

function stateOf(health: string | undefined): object {
  if (health === 'expired') return { authStatus: 'expired', authFailureReason: 'token_expired' };
  if (health === 'expires') return { accessTokenExpiresAt: new Date(emulatorNow() + dayMs).toISOString() };
  return {};
}
