import { Empty } from '../../parts/Empty.js';
import { Problem } from '../../parts/Problem.js';
import { View } from '../../parts/View.js';
import { accountName } from '../../state/accounts.js';
import { useRemote } from '../../state/use-remote.js';
import { automation, automations } from './automations.js';
import { AutomationForm } from './AutomationForm.js';
import { AutomationPanel } from './AutomationPanel.js';

export function AutomationsView() {
  const all = useRemote(automations) ?? [];
  return (
    <View
      title="Automations"
      about="Comments with a keyword are answered in public and by a direct message; each run is logged."
    >
      <Problem text={automations.error.value} retry={() => void automations.reload()} />
      <div class="split">
        <div class="stack">
          {all.length === 0 ? (
            <Empty icon="automations" title="No automations yet">
              <p>Create one below, then write a comment with its keyword.</p>
            </Empty>
          ) : (
            <nav class="panel" aria-label="Automations">
              <ul role="list" class="rows">
                {all.map(({ id, name, accountId, stats }) => (
                  <li key={id}>
                    <button
                      type="button"
                      class="row conversation-row"
                      aria-current={id === automation.chosen.value?.id}
                      onClick={() => {
                        automation.id.value = id;
                      }}
                    >
                      <strong>{name ?? id}</strong>
                      <span class="hint">{accountName(accountId)}</span>
                      <span class="line hint">
                        {stats?.triggered ?? 0} runs, {stats?.failed ?? 0} failed
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            </nav>
          )}
          <AutomationForm />
        </div>
        {automation.chosen.value !== undefined && <AutomationPanel automation={automation.chosen.value} />}
      </div>
    </View>
  );
}
