import { Empty } from '../../parts/Empty.js';
import { showPanelBelow } from '../../parts/focus.js';
import { Loading } from '../../parts/Loading.js';
import { OutcomeFilter } from '../../parts/OutcomeFilter.js';
import { Problem } from '../../parts/Problem.js';
import { RowList } from '../../parts/RowList.js';
import { View } from '../../parts/View.js';
import { accountName } from '../../state/accounts.js';
import { automations } from '../../state/automations.js';
import { useRemote } from '../../state/use-remote.js';
import { automation, outcome, shownAutomations } from './automations.js';
import { AutomationForm } from './AutomationForm.js';
import { AutomationPanel } from './AutomationPanel.js';

export function AutomationsView() {
  const known = useRemote(automations);
  const all = known ?? [];
  return (
    <View
      title="Automations"
      about="Comments with a keyword are answered in public and by a direct message; each run is logged."
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
      {/* The filter appears with the list. A new element, so that nothing moves. */}
      <div class="split split-three" key={known === undefined ? 'loading' : 'loaded'}>
        {known === undefined ? (
          <Loading error={automations.error.value} />
        ) : all.length === 0 ? (
          <Empty icon="automations" title="No automations yet">
            <p>Create one, then write a comment with its keyword.</p>
          </Empty>
        ) : (
          <List />
        )}
        {automation.chosen.value !== undefined && <AutomationPanel automation={automation.chosen.value} />}
        {known !== undefined && <AutomationForm />}
      </div>
    </View>
  );
}

function List() {
  return (
    <nav class="panel" aria-label="Automations">
      <RowList
        label="Automations"
        items={shownAutomations.value}
        keyOf={({ id }) => id}
        chosen={automation.chosen.value?.id}
        row={({ id, name, accountId, stats }, focus) => (
          <button
            type="button"
            class="row conversation-row"
            {...focus}
            aria-current={id === automation.chosen.value?.id}
            onClick={() => {
              automation.id.value = id;
              showPanelBelow('.automation-panel');
            }}
          >
            <strong>{name ?? id}</strong>
            <span class="hint">{accountName(accountId)}</span>
            <span class="line hint">
              {stats?.triggered ?? 0} runs, <Failed count={stats?.failed ?? 0} />
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
