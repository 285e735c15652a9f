import { formatSeconds } from '../../state/time.js';
import { RuleItem } from './RuleItem.js';
import { wordsOfStep, type ShownStep } from './scenario.js';

/** The steps of scenarios that have not happened yet. */
export function ScenarioPanel({ steps }: { readonly steps: readonly ShownStep[] }) {
  if (steps.length === 0) return null;
  return (
    <section class="panel">
      <h2 tabIndex={-1}>Planned steps of the scenario</h2>
      <ul role="list" class="fault-list">
        {steps.map((step) => (
          <RuleItem
            key={step.id}
            kind="step"
            words={wordsOfStep(step)}
            path={`scenario/${encodeURIComponent(step.id)}`}
            title={<strong>{formatSeconds(step.at)}</strong>}
            about={wordsOfStep(step)}
          />
        ))}
      </ul>
    </section>
  );
}
