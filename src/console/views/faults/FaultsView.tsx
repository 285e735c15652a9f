import { View } from '../../parts/View.js';
import { Problem } from '../../parts/Problem.js';
import { eventTypes } from '../../state/event-types.js';
import { useRemote } from '../../state/use-remote.js';
import { FaultForm } from './FaultForm.js';
import { FaultList } from './FaultList.js';
import { deliveryKinds, faults, outcomes, requestKinds } from './faults.js';
import { OutcomesPanel } from './OutcomesPanel.js';

export function FaultsView() {
  const all = useRemote(faults);
  const said = useRemote(outcomes) ?? [];
  return (
    <View title="Faults" about="What goes wrong, and what it did so far. What this page reads by itself is not hit.">
      <Problem text={faults.error.value} retry={() => void faults.reload()} />
      <div class="split split-even">
        <section class="panel">
          <h2>Requests</h2>
          <FaultList entries={all?.requests ?? []} empty="Every request is answered as documented." />
          <FaultForm on="requests" kinds={requestKinds} />
        </section>
        <section class="panel">
          <h2>Deliveries</h2>
          <FaultList entries={all?.deliveries ?? []} empty="Every webhook is delivered at once, and once." />
          <FaultForm on="deliveries" kinds={deliveryKinds} eventTypes={eventTypes} />
        </section>
        <OutcomesPanel outcomes={said} />
      </div>
    </View>
  );
}
