import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Integration } from 'social-publishing';
import { PlatformBadge } from '../parts/Badges.js';
import { useChoicesProblem, type ChoicesProblem } from '../parts/ChoicesProblem.js';
import { accounts, isConnected, nameOf, titleOf } from '../state/accounts.js';
import { linkTo } from '../state/route.js';
import { platformName } from '../state/platform-names.js';

/** The accounts for a post. */
export function AccountChoice({ chosen }: { readonly chosen?: ReadonlySet<string> | undefined }) {
  const all = sorted(accounts.value.value ?? []);
  const problem = useChoicesProblem('account');
  const { group, chosen: checked, recount, selectAll } = useBoxes();
  const failing = all.filter((account) => checked.has(account.id) && !isConnected(account));
  return (
    <fieldset ref={group} class="choices" onChange={recount}>
      <legend>Accounts</legend>
      {problem.shown}
      {all.length === 0 ? (
        <p class="hint">
          There are no accounts yet. Connect one under <a href={linkTo('accounts', {})}>Accounts</a>, or write a draft
          without an account. Your text is kept.
        </p>
      ) : (
        <div class="choices-all">
          <button type="button" class="button button-small" onClick={selectAll(true)}>
            Select all<span class="unseen"> accounts</span>
          </button>
          <button type="button" class="button button-small" onClick={selectAll(false)}>
            Select none<span class="unseen"> of the accounts</span>
          </button>
          <span class="count" role="status">
            {checked.size} of {all.length} selected
          </span>
        </div>
      )}
      {failing.length > 0 && (
        <p class="warn choices-problem">
          {failing.map(titleOf).join(', ')} {failing.length === 1 ? 'is' : 'are'} not connected: publishing there fails.
        </p>
      )}
      {all.map((account) => (
        <AccountBox key={account.id} account={account} isChosen={chosen?.has(account.id) === true} problem={problem} />
      ))}
    </fieldset>
  );
}

/** By platform, in the order of their names. */
const sorted = (all: readonly Integration[]) => [...all].sort((a, b) => titleOf(a).localeCompare(titleOf(b), 'en'));

/** Returns the checked accounts, and checks all or none. The form owns the state of its boxes. */
function useBoxes() {
  const group = useRef<HTMLFieldSetElement>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const boxes = () => [...(group.current?.querySelectorAll<HTMLInputElement>('input[name="account"]') ?? [])];
  const recount = () => {
    setChosen(new Set(boxes().flatMap(({ checked, value }) => (checked ? value : []))));
  };
  const selectAll = (checked: boolean) => () => {
    for (const box of boxes()) box.checked = checked;
    boxes()[0]?.dispatchEvent(new Event('input', { bubbles: true }));
    recount();
  };
  // Accounts come and go while the form is open.
  useLayoutEffect(recount, [accounts.value.value]);
  return { group, chosen, recount, selectAll };
}

interface AccountBoxProps {
  readonly account: Integration;
  readonly isChosen: boolean;
  readonly problem: ChoicesProblem;
}

function AccountBox({ account, isChosen, problem }: AccountBoxProps) {
  return (
    <label class="choice">
      <input type="checkbox" name="account" value={account.id} defaultChecked={isChosen} {...problem.box} />
      <PlatformBadge platform={account.platform} />
      <span class="choice-name">
        {nameOf(account)}{' '}
        <span class="hint" aria-hidden="true">
          {platformName(account.platform)}
        </span>
      </span>
      {!isConnected(account) && <span class="choice-warning">{account.authStatus}</span>}
    </label>
  );
}

/** Returns the chosen accounts of a form as targets of a post. */
export function targetsIn(form: HTMLFormElement) {
  const ids = new FormData(form).getAll('account');
  return (accounts.value.value ?? []).filter(({ id }) => ids.includes(id));
}
