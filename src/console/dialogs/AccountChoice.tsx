import { PlatformBadge } from '../parts/Badges.js';
import { accounts, nameOf } from '../state/accounts.js';

/** Which accounts a post goes to. */
export function AccountChoice({ chosen }: { readonly chosen?: ReadonlySet<string> }) {
  const all = accounts.value.value ?? [];
  return (
    <fieldset class="choices">
      <legend>Accounts</legend>
      {all.length === 0 && (
        <p class="hint">There are no accounts yet. Connect one under Accounts; a draft needs none.</p>
      )}
      {all.map((account) => (
        <label key={account.id} class="choice">
          <input type="checkbox" name="account" value={account.id} defaultChecked={chosen?.has(account.id) === true} />
          <PlatformBadge platform={account.platform} />
          <span>{nameOf(account)}</span>
          {account.authStatus !== undefined && account.authStatus !== 'active' && (
            <span class="choice-warning">{account.authStatus}</span>
          )}
        </label>
      ))}
    </fieldset>
  );
}

/** The accounts that a form's boxes name, as targets of a post. */
export function targetsIn(form: HTMLFormElement) {
  const ids = new FormData(form).getAll('account');
  return (accounts.value.value ?? []).filter(({ id }) => ids.includes(id));
}
