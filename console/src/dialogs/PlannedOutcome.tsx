import { useEffect, useRef, useState } from 'preact/hooks';
import type { TargetResult } from 'social-publishing';
import { BusyButton } from '../parts/Busy.js';
import { Field } from '../parts/Field.js';
import { Form } from '../parts/Form.js';
import { accountName } from '../state/accounts.js';
import { notify } from '../state/notices.js';
import { outcomes, planOutcome, type OutcomeInput } from '../state/outcomes.js';
import { platformName } from '../state/platform-names.js';
import { useRemote } from '../state/use-remote.js';

/** Where an outcome of one target applies. */
function scopeOf(postId: string, { platform, accountId }: TargetResult): OutcomeInput {
  return {
    postId,
    ...(platform === undefined ? {} : { platform }),
    ...(accountId === undefined ? {} : { accountId }),
  };
}

interface PlannedOutcomeProps {
  readonly postId: string;
  readonly target: TargetResult;
  /** Whether an outcome applies to all targets on the platform, because the account of this target is not known. */
  readonly isShared: boolean;
}

/** A button that plans a failure of one target, or takes it back. The form and the planned error are below it. */
export function PlannedOutcome({ postId, target, isShared }: PlannedOutcomeProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const scope = scopeOf(postId, target);
  const planned = useRemote(outcomes)?.findLast(
    (outcome) =>
      outcome.postId === postId &&
      outcome.platform === scope.platform &&
      (outcome.accountId ?? scope.accountId) === scope.accountId,
  );
  const platform = platformName(target.platform);
  const name = isShared ? `all ${platform} targets` : `${platform} ${accountName(target.accountId)}`.trim();
  const plan = async (error: string | undefined) => {
    await planOutcome({ ...scope, ...(error === undefined ? {} : { error }) });
    setOpen(false);
    // The button or the form disappears.
    frame.current?.focus();
    const subject = isShared ? `All ${platform} targets` : name;
    notify(error === undefined ? `${subject} will succeed.` : `${subject} will fail when the post is published.`);
  };
  const isPlanned = planned?.error !== undefined;
  return (
    <>
      <div ref={frame} class="target-end" tabIndex={-1}>
        {isPlanned ? (
          <BusyButton
            class="button button-small"
            label={isShared ? `Let ${name} succeed` : `Let it succeed: ${name}`}
            onPress={() => plan(undefined)}
          >
            {isShared ? `Let ${name} succeed` : 'Let it succeed'}
          </BusyButton>
        ) : (
          <button
            type="button"
            class="button button-small"
            aria-expanded={isOpen}
            aria-label={isShared ? `Fail ${name}` : `Fail this target: ${name}`}
            onClick={() => {
              setOpen(!isOpen);
            }}
          >
            {isShared ? `Fail ${name}` : 'Fail this target'}
          </button>
        )}
      </div>
      {isPlanned && <p class="target-more bad">Will fail: {planned.error}</p>}
      {!isPlanned && isOpen && <FailForm name={name} fail={plan} />}
    </>
  );
}

/** The error that a form suggests. */
export const usualError = 'The platform refused the post.';

function FailForm({ name, fail }: { readonly name: string; readonly fail: (error: string) => Promise<void> }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.select();
  }, []);
  return (
    <Form class="form target-more" submit="Fail it" label={`Fail ${name}`} onSubmit={({ error = '' }) => fail(error)}>
      <Field label="Error">
        <input ref={input} name="error" defaultValue={usualError} autocomplete="off" required />
      </Field>
    </Form>
  );
}
