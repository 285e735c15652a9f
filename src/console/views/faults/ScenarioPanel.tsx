import { ConfirmButton } from '../../parts/ConfirmButton.js';
import { changed } from '../../state/live.js';
import { formatSeconds } from '../../state/time.js';
import { remove } from '../../world/workbench.js';
import { tellOfRule } from './rule-notice.js';
import { wordsOfStep, type ShownStep } from './scenario.js';

/** The steps of scenarios that have not happened yet. */
export function ScenarioPanel({ steps }: { readonly steps: readonly ShownStep[] }) {
  if (steps.length === 0) return null;
  return (
    <section class="panel">
      <h2>Planned steps of the scenario</h2>
      <ul role="list" class="fault-list">
        {steps.map((step) => (
          <li key={step.id}>
            <div>
              <p>
                <strong>{formatSeconds(step.at)}</strong>
              </p>
              <p class="hint">{wordsOfStep(step)}</p>
            </div>
            <ConfirmButton
              small
              label="Remove"
              confirm="Confirm"
              name={`Remove the step: ${wordsOfStep(step)}`}
              onPress={async () => {
                await remove(`scenario/${encodeURIComponent(step.id)}`);
                tellOfRule(`The step is removed: ${wordsOfStep(step)}.`);
                changed('fault', 'clock');
              }}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
