import { useContext, useId } from 'preact/hooks';
import { PlatformBadge } from '../parts/Badges.js';
import { FieldProblemsContext } from '../parts/field-problems.js';
import { accounts, nameOf } from '../state/accounts.js';
import { platformName } from '../state/platform-names.js';

/** The accounts for a post. */
export function AccountChoice({ chosen }: { readonly chosen?: ReadonlySet<string> }) {
  const all = accounts.value.value ?? [];
  const problem = useContext(FieldProblemsContext)['account'];
  const problemId = useId();
  return (
    <fieldset class="choices">
      <legend>Accounts</legend>
      {problem !== undefined && (
        <p class="bad choices-problem" id={problemId}>
          {problem}
        </p>
      )}
      {all.length === 0 && (
        <p class="hint">There are no accounts yet. Connect one under Accounts, or write a draft without an account.</p>
      )}
      {all.map((account) => (
        <label key={account.id} class="choice">
          <input
            type="checkbox"
            name="account"
            value={account.id}
            defaultChecked={chosen?.has(account.id) === true}
            aria-describedby={problem === undefined ? undefined : problemId}
            aria-invalid={problem !== undefined}
          />
          <PlatformBadge platform={account.platform} />
          <span>
            {nameOf(account)}{' '}
            <span class="hint" aria-hidden="true">
              {platformName(account.platform)}
            </span>
          </span>
          {account.authStatus !== undefined && account.authStatus !== 'active' && (
            <span class="choice-warning">{account.authStatus}</span>
          )}
        </label>
      ))}
    </fieldset>
  );
}

/** Returns the chosen accounts of a form as targets of a post. */
export function targetsIn(form: HTMLFormElement) {
  const ids = new FormData(form).getAll('account');
  return (accounts.value.value ?? []).filter(({ id }) => ids.includes(id));
}
