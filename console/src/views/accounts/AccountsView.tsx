import { useEffect } from 'preact/hooks';
import { Loading } from '../../parts/Loading.js';
import { Problem } from '../../parts/Problem.js';
import { View } from '../../parts/View.js';
import { Empty } from '../../parts/Empty.js';
import { showForm } from '../../parts/focus.js';
import { Icon } from '../../parts/Icon.js';
import { onlyFailed, OutcomeFilter } from '../../parts/OutcomeFilter.js';
import { accounts, isConnected } from '../../state/accounts.js';
import { viewParam } from '../../state/route.js';
import { useRemote } from '../../state/use-remote.js';
import { AccountRow } from './AccountRow.js';
import { AppsPanel } from './AppsPanel.js';
import { attention } from './attention.js';
import { ConnectForm } from './ConnectForm.js';
import { SelectionForm } from './SelectionForm.js';

/** `failed` or, for all, `''`. */
const outcome = viewParam('accounts', 'outcome');
/** The account that a link leads to. */
const chosenAccount = viewParam('accounts', 'account');

export function AccountsView() {
  const known = useRemote(accounts);
  const all = known ?? [];
  const shown = outcome.value === onlyFailed ? all.filter((account) => !isConnected(account)) : all;
  const reasons = useRemote(attention);
  return (
    <View
      title="Accounts"
      about="Connected accounts and their health, according to integrations.needingAttention() for the next 7 days."
      actions={all.length > 0 && <ConnectButton />}
    >
      <Problem text={accounts.error.value} retry={() => void accounts.reload()} />
      {known === undefined ? (
        <Loading error={accounts.error.value} />
      ) : all.length === 0 ? (
        <Empty icon="accounts" title="No accounts yet">
          <p>Connect one with the form below. The emulator creates the account: you need none at a platform.</p>
        </Empty>
      ) : (
        <>
          <OutcomeFilter
            label="Connection"
            filter={outcome}
            failed="not connected"
            shown={shown.length}
            all={all.length}
            names={['account', 'accounts']}
          />
          <ul class="panel account-list" role="list" onKeyDown={moveBetweenRows}>
            {shown.map((account) => (
              <AccountRow
                key={account.id}
                account={account}
                attention={reasons?.get(account.id)}
                known={reasons !== undefined}
                isChosen={account.id === chosenAccount.value}
              />
            ))}
          </ul>
        </>
      )}
      {/* Later, so that they do not move when the accounts arrive. */}
      {known !== undefined && <ConnectPanels />}
    </View>
  );
}

/** The arrow keys move to the same button of the next or the previous account. */
function moveBetweenRows(event: KeyboardEvent): void {
  const distance = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target, currentTarget } = event;
  if (distance === undefined || !(target instanceof HTMLButtonElement) || !(currentTarget instanceof Element)) return;
  const rows = [...currentTarget.children];
  const index = rows.findIndex((row) => row.contains(target));
  const buttonsOf = (row: Element | undefined) => [...(row?.querySelectorAll('button') ?? [])];
  const next = buttonsOf(rows[index + distance]);
  if (next.length === 0) return;
  event.preventDefault();
  const place = Math.min(buttonsOf(rows[index]).indexOf(target), next.length - 1);
  next[place]?.focus();
}

const connectForm = '.connect-panel';

/** A link to the form: `connect`. */
const form = viewParam('accounts', 'form');

/** The form is below the list. */
function ConnectButton() {
  return (
    <button
      type="button"
      class="button"
      onClick={() => {
        showForm(connectForm);
      }}
    >
      <Icon name="plus" />
      Connect an account
    </button>
  );
}

function ConnectPanels() {
  const wanted = form.value;
  useEffect(() => {
    if (wanted === '') return;
    showForm(connectForm);
    form.value = '';
  }, [wanted]);
  return (
    <div class="split split-even">
      <ConnectForm />
      <SelectionForm />
      <AppsPanel />
    </div>
  );
}
