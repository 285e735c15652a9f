import { instagramMetrics, type InstagramInsights } from 'social-publishing';
import { Empty } from '../../parts/Empty.js';
import { Field } from '../../parts/Field.js';
import type { FieldProblems } from '../../parts/field-problems.js';
import { Form } from '../../parts/Form.js';
import { Loading } from '../../parts/Loading.js';
import { LineChart } from '../../parts/LineChart.js';
import { Tiles } from '../../parts/Tiles.js';
import { AccountOptions } from '../../parts/Options.js';
import { accounts, instagramAccounts } from '../../state/accounts.js';
import { clock, emulatorNow } from '../../state/clock.js';
import { readOnRequest } from '../../state/earlier-state.js';
import { addDays, dayOf, formatMediumDay } from '../../state/time.js';
import { client } from '../../world/session.js';
import { paid } from './credits.js';
import { metricName } from './metric-names.js';

const reach = readOnRequest<InstagramInsights>();
const totals = readOnRequest<InstagramInsights>();
const defaultDays = 29;
/** The service accepts a range of at most this length. */
const mostDays = 90;
const dayMs = 86_400_000;

export function InsightsPanel() {
  const candidates = instagramAccounts.value;
  return (
    <section class="panel stack">
      <h2>Instagram account</h2>
      {clock.value === undefined || accounts.value.value === undefined ? (
        // The days of the form depend on the clock.
        <Loading error={accounts.error.value} />
      ) : candidates.length === 0 ? (
        <p class="hint">
          Only Instagram accounts have insights. Connect one under <a href="#/accounts">Accounts</a>.
        </p>
      ) : (
        <>
          <Form
            class="form read-form"
            label="Insights of an Instagram account"
            submit="Read insights (costs 2 credits)"
            check={({ since = '', until = '' }) => rangeProblems(since, until)}
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

function rangeProblems(since: string, until: string): FieldProblems {
  const days = (Date.parse(until) - Date.parse(since)) / dayMs;
  if (days < 0) return { until: 'Choose a day that is not before From.' };
  return days > mostDays ? { until: `Choose a day at most ${mostDays} days after From.` } : {};
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
  const all = totals.value;
  if (reach.value === undefined && all === undefined)
    return (
      <Empty icon="analytics" title="Not read yet">
        <p>You get the reach of each day, and the totals of {instagramMetrics.length} metrics.</p>
      </Empty>
    );
  return (
    <>
      {reach.value !== undefined && <LineChart title="Reach by day" points={everyDay(reach.value)} />}
      {all !== undefined && (
        <Tiles
          title="Totals of the range"
          tiles={instagramMetrics.map((name) => ({ label: metricName(name), value: all.metrics[name]?.total }))}
        />
      )}
      {all?.dataDelay !== undefined && <p class="hint">Delay of the data: {all.dataDelay}</p>}
    </>
  );
}

/** Returns the reach of each day of the range. The service omits days without data. */
function everyDay({ metrics, dateRange }: InstagramInsights): readonly { label: string; value: number | undefined }[] {
  const values = new Map((metrics['reach']?.values ?? []).map(({ date = '', value }) => [date.slice(0, 10), value]));
  const known = [...values.keys()].sort();
  const [from, to] = [dateRange?.since ?? known[0], dateRange?.until ?? known.at(-1)];
  if (from === undefined || to === undefined) return [];
  const days: { label: string; value: number | undefined }[] = [];
  for (let day = from.slice(0, 10); day <= to.slice(0, 10) && days.length <= mostDays; day = nextDay(day))
    days.push({ label: formatMediumDay(day), value: values.get(day) });
  return days;
}

/** The days of the insights are dates without a time zone. */
function nextDay(day: string): string {
  return new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10);
}
