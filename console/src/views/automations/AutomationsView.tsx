import { Empty } from '../../parts/Empty.js';
import { eitherClass, showPanelBelow } from '../../parts/focus.js';
import { Loading } from '../../parts/Loading.js';
import { NewButton } from '../../parts/NewButton.js';
import { OutcomeFilter } from '../../parts/OutcomeFilter.js';
import { Problem } from '../../parts/Problem.js';
import { RowList } from '../../parts/RowList.js';
import { UnknownItem } from '../../parts/UnknownItem.js';
import { View } from '../../parts/View.js';
import { accountName } from '../../state/accounts.js';
import { automations } from '../../state/automations.js';
import { newItem } from '../../state/choice.js';
import { quantity } from '../../state/quantity.js';
import { useRemote } from '../../state/use-remote.js';
import { automation, outcome, shownAutomations, unknownAutomation } from './automations.js';
import { AutomationForm } from './AutomationForm.js';
import { AutomationPanel } from './AutomationPanel.js';

export function AutomationsView() {
  const known = useRemote(automations);
  const all = known ?? [];
  return (
    <View
      title="Automations"
      about="Comments with a keyword are answered in public and by a direct message; each run is logged."
      actions={
        all.length > 0 ? <NewButton label="New automation" choice={automation.id} form=".automation-form" /> : undefined
      }
    >
      <Problem text={automations.error.value} retry={() => void automations.reload()} />
      {all.length > 0 && (
        <OutcomeFilter
          filter={outcome}
          failed="with failed runs"
          shown={shownAutomations.value.length}
          all={all.length}
          names={['automation', 'automations']}
        />
      )}
      {known === undefined ? (
        <Loading error={automations.error.value} />
      ) : all.length === 0 ? (
        <div class="split">
          <Empty icon="automations" title="No automations yet">
            <p>Create one, then write a comment with its keyword.</p>
          </Empty>
          <AutomationForm isFirst />
        </div>
      ) : (
        <ListAndItem />
      )}
    </View>
  );
}

/** The list, and beside it the chosen automation or the form for a new one. */
function ListAndItem() {
  const { id, chosen } = automation;
  const isNew = id.value === newItem;
  const unknown = unknownAutomation.value;
  const shown = isNew || unknown !== undefined ? undefined : chosen.value;
  return (
    <div class={`split ${eitherClass(id.value, isNew ? newItem : (unknown ?? shown?.id))}`}>
      <List chosen={shown?.id} />
      {isNew && <AutomationForm isFirst={false} />}
      {unknown !== undefined && (
        <UnknownItem kind="automation" id={unknown} choice={id} list="All automations">
          It may have been removed.
        </UnknownItem>
      )}
      {shown !== undefined && <AutomationPanel automation={shown} />}
    </div>
  );
}

function List({ chosen }: { readonly chosen: string | undefined }) {
  return (
    <nav class="panel" aria-label="Automations">
      <RowList
        label="Automations"
        items={shownAutomations.value}
        keyOf={({ id }) => id}
        chosen={chosen}
        row={({ id, name, accountId, stats }, focus) => (
          <button
            type="button"
            class="row conversation-row"
            {...focus}
            aria-current={id === chosen}
            onClick={() => {
              automation.id.value = id;
              showPanelBelow('.automation-panel');
            }}
          >
            <strong>{name ?? id}</strong>
            <span class="hint">{accountName(accountId)}</span>
            <span class="line hint">
              {quantity(stats?.triggered ?? 0, 'run', 'runs')}, <Failed count={stats?.failed ?? 0} />
            </span>
          </button>
        )}
      />
    </nav>
  );
}

function Failed({ count }: { readonly count: number }) {
  return <span class={count === 0 ? '' : 'bad'}>{count} failed</span>;
}
