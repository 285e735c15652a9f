import { View } from '../../parts/View.js';
import { Problem } from '../../parts/Problem.js';
import { eventTypes } from '../../state/event-types.js';
import { faults } from '../../state/rules.js';
import { outcomes } from '../../state/outcomes.js';
import { useRemote } from '../../state/use-remote.js';
import { FaultForm } from './FaultForm.js';
import { FaultList } from './FaultList.js';
import { deliveryKinds, requestKinds } from './faults.js';
import { OutcomesPanel } from './OutcomesPanel.js';
import { scenario } from './scenario.js';
import { ScenarioPanel } from './ScenarioPanel.js';

export function FaultsView() {
  const all = useRemote(faults);
  const said = useRemote(outcomes);
  const steps = useRemote(scenario);
  return (
    <View
      title="Faults"
      about="Rules for failures, and how often each rule applied. They do not apply to this page's own reads."
    >
      <Problem
        text={faults.error.value ?? outcomes.error.value ?? scenario.error.value}
        retry={() => {
          void faults.reload();
          void outcomes.reload();
          void scenario.reload();
        }}
      />
      <div class="split split-even">
        <section class="panel">
          <h2 tabIndex={-1}>Requests</h2>
          <FaultList entries={all?.requests} everywhere="all routes" empty="Every request is answered as documented." />
          <FaultForm on="requests" kinds={requestKinds} />
        </section>
        <section class="panel">
          <h2 tabIndex={-1}>Deliveries</h2>
          <FaultList
            entries={all?.deliveries}
            everywhere="all events"
            empty="Every webhook is delivered at once, exactly once."
          />
          <FaultForm on="deliveries" kinds={deliveryKinds} eventTypes={eventTypes} />
        </section>
        <OutcomesPanel outcomes={said} />
        <ScenarioPanel steps={steps ?? []} />
      </div>
    </View>
  );
}
