import { signal } from '@preact/signals';
import { instagramMetrics, type InstagramInsights } from 'social-publishing';
import { BarChart } from '../../parts/BarChart.js';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { LineChart } from '../../parts/LineChart.js';
import { AccountOptions } from '../../parts/Options.js';
import { instagramAccounts } from '../../state/accounts.js';
import { emulatorNow } from '../../state/clock.js';
import { addDays, dayOf } from '../../state/time.js';
import { client } from '../../world/session.js';
import { paid } from './credits.js';

const reach = signal<InstagramInsights | undefined>(undefined);
const totals = signal<InstagramInsights | undefined>(undefined);
const defaultDays = 29;

export function InsightsPanel() {
  const candidates = instagramAccounts.value;
  return (
    <section class="panel stack">
      <h2>Instagram account</h2>
      {candidates.length === 0 ? (
        <p class="hint">
          Only Instagram accounts have insights. Connect one under <a href="#/accounts">Accounts</a>.
        </p>
      ) : (
        <>
          <Form
            label="Insights of an Instagram account"
            submit="Read insights (costs 2 credits)"
            onSubmit={async ({ accountId = '', since, until }) => {
              await readInsights(accountId, since, until);
            }}
          >
            <div class="form-row">
              <Field label="Account">
                <select name="accountId">
                  <AccountOptions accounts={candidates} />
                </select>
              </Field>
              <Field label="From">
                <input name="since" type="date" defaultValue={addDays(dayOf(emulatorNow()), -defaultDays)} />
              </Field>
              <Field label="To">
                <input name="until" type="date" defaultValue={dayOf(emulatorNow())} />
              </Field>
            </div>
            <p class="hint">One call for reach day by day, one for the totals of all metrics. At most 90 days.</p>
          </Form>
          <Insights />
        </>
      )}
    </section>
  );
}

async function readInsights(accountId: string, since: string | undefined, until: string | undefined): Promise<void> {
  const range = { accountId, since, until };
  await paid(async () => {
    const { analytics } = client();
    reach.value = await analytics.getInstagramInsights({ ...range, metrics: ['reach'], metricType: 'time_series' });
    totals.value = await analytics.getInstagramInsights({ ...range, metrics: instagramMetrics });
  });
}

function Insights() {
  const daily = reach.value?.metrics['reach']?.values ?? [];
  const all = totals.value;
  return (
    <>
      {reach.value !== undefined && (
        <LineChart title="reach by day" points={daily.map(({ date = '', value = 0 }) => ({ label: date, value }))} />
      )}
      {all !== undefined && (
        <BarChart
          title="Totals"
          bars={instagramMetrics.map((name) => ({ key: name, label: name, note: '', value: all.metrics[name]?.total }))}
        />
      )}
      {all?.dataDelay !== undefined && <p class="hint">{all.dataDelay}</p>}
    </>
  );
}
