import { usualError } from '../../dialogs/PlannedOutcome.js';
import { ConfirmButton } from '../../parts/ConfirmButton.js';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { Loading } from '../../parts/Loading.js';
import { AccountOptions, PlatformOptions } from '../../parts/Options.js';
import { accounts, accountTitle } from '../../state/accounts.js';
import { changed } from '../../state/live.js';
import { outcomes, planOutcome, type ShownOutcome } from '../../state/outcomes.js';
import { platformName } from '../../state/platform-names.js';
import { formatDateTime } from '../../state/time.js';
import { remove } from '../../world/workbench.js';
import { appliedText } from './faults.js';
import { tellOfRule } from './rule-notice.js';
import { RuleItem } from './RuleItem.js';

/** Plans the outcomes of publications: a platform that is down, an account with a warning. */
export function OutcomesPanel({ outcomes: said }: { readonly outcomes: readonly ShownOutcome[] | undefined }) {
  return (
    <section class="panel">
      <h2 tabIndex={-1}>Planned outcomes</h2>
      {said === undefined ? (
        <Loading error={outcomes.error.value} />
      ) : said.length === 0 ? (
        <p class="hint">Every target succeeds, except on accounts that must be connected again.</p>
      ) : (
        <>
          <ul role="list" class="fault-list">
            {said.map((outcome) => (
              <OutcomeItem key={outcome.id} outcome={outcome} />
            ))}
          </ul>
          <ConfirmButton
            label="Remove all planned outcomes"
            confirm="Confirm: remove all outcomes"
            onPress={async () => {
              await remove('outcomes');
              tellOfRule('All planned outcomes are removed.');
              changed('fault');
            }}
          />
        </>
      )}
      <OutcomeForm />
    </section>
  );
}

function OutcomeItem({ outcome }: { readonly outcome: ShownOutcome }) {
  const { id, platform, accountId, postId, error, warning, times, until, struck } = outcome;
  const result = error ?? warning ?? 'succeeds';
  const limits = [
    appliedText(struck),
    times !== undefined && `${times} more ${times === 1 ? 'time' : 'times'}`,
    until !== undefined && `until ${formatDateTime(until)}`,
  ];
  return (
    <RuleItem
      kind="outcome"
      words={`${placeOf(platform, accountId)}: ${result}`}
      path={`outcomes/${encodeURIComponent(id)}`}
      title={
        <>
          <strong>{placeOf(platform, accountId)}</strong>{' '}
          {postId !== undefined && <span class="hint">of {postId}</span>}{' '}
          <span class={error === undefined ? 'warn' : 'bad'}>{result}</span>
        </>
      }
      about={limits.filter(Boolean).join(', ')}
    />
  );
}

function placeOf(platform: string | undefined, accountId: string | undefined): string {
  if (accountId !== undefined) return accountTitle(accountId);
  return platform === undefined ? 'Every target' : platformName(platform);
}

function OutcomeForm() {
  return (
    <Form
      submit={
        <>
          Add rule<span class="unseen"> for publications</span>
        </>
      }
      label="Plan an outcome"
      onSubmit={async ({ place, result, text, times }) => {
        const [kind, value] = (place ?? '').split(':');
        await planOutcome({
          ...(kind === undefined || value === undefined ? {} : { [kind]: value }),
          [result ?? 'error']: text,
          ...(times === undefined ? {} : { times: Number(times) }),
        });
        tellOfRule('The rule is added. It applies to publications from now on.');
      }}
    >
      <Field label="Where">
        <select name="place">
          <option value="">everywhere</option>
          <Places />
        </select>
      </Field>
      <div class="fault-fields">
        <Field label="Result">
          <select name="result">
            <option value="error">fails</option>
            <option value="warning">warns</option>
          </select>
        </Field>
        <Field label="Times">
          <input name="times" type="number" min="1" placeholder="no end" />
        </Field>
      </div>
      <Field label="Text">
        <input name="text" defaultValue={usualError} autocomplete="off" required />
      </Field>
    </Form>
  );
}

function Places() {
  return (
    <>
      <optgroup label="Platforms">
        <PlatformOptions prefix="platform:" />
      </optgroup>
      <optgroup label="Accounts">
        <AccountOptions accounts={accounts.value.value ?? []} prefix="accountId:" />
      </optgroup>
    </>
  );
}
