import { useEffect, useRef, useState } from 'preact/hooks';
import type { Post, TargetResult } from 'social-publishing';
import { PlatformBadge, StatusBadge } from '../parts/Badges.js';
import { BusyButton } from '../parts/Busy.js';
import { Field } from '../parts/Field.js';
import { FieldError } from '../parts/field-problems.js';
import { Form } from '../parts/Form.js';
import { accountName } from '../state/accounts.js';
import { notify } from '../state/notices.js';
import { outcomes, planOutcome, type OutcomeEntry } from '../state/outcomes.js';
import { platformName } from '../state/platform-names.js';
import { targetsOf } from '../state/posts.js';
import { formatDateTime } from '../state/time.js';
import { useRemote } from '../state/use-remote.js';

/** The targets of a post with their results. Before the publication, a target can be made to fail. */
export function TargetList({ post }: { readonly post: Post }) {
  const targets = targetsOf(post);
  if (targets.length === 0) return <p class="hint">A draft needs no targets.</p>;
  const isPlanned = post.status === 'scheduled' || post.status === 'publishing';
  return (
    <ul role="list" class="target-list">
      {targets.map((target, index) => (
        <li key={index}>
          <PlatformBadge platform={target.platform} />
          <div>
            <p>
              <strong>{platformName(target.platform)}</strong> <bdi class="hint">{accountName(target.accountId)}</bdi>
            </p>
            <TargetWords target={target} />
            {isPlanned && <PlannedOutcome postId={post.postId} target={target} />}
          </div>
          <StatusBadge status={target.state} />
        </li>
      ))}
    </ul>
  );
}

function TargetWords({ target: { error, warning, url, publishedAt } }: { readonly target: TargetResult }) {
  return (
    <>
      {error !== undefined && <p class="bad">{error}</p>}
      {warning !== undefined && <p class="warn">{warning}</p>}
      {publishedAt !== undefined && <p class="hint">{formatDateTime(publishedAt)}</p>}
      {url !== undefined && (
        <p class="hint">
          <code>{url}</code>
        </p>
      )}
    </>
  );
}

/** Where an outcome of one target applies. */
function scopeOf(postId: string, { platform, accountId }: TargetResult): OutcomeEntry {
  return {
    postId,
    ...(platform === undefined ? {} : { platform }),
    ...(accountId === undefined ? {} : { accountId }),
  };
}

/** Shows the planned outcome of one target, and changes it. */
function PlannedOutcome({ postId, target }: { readonly postId: string; readonly target: TargetResult }) {
  const frame = useRef<HTMLDivElement>(null);
  const scope = scopeOf(postId, target);
  const planned = useRemote(outcomes)?.findLast(
    (outcome) =>
      outcome.postId === postId && outcome.platform === scope.platform && outcome.accountId === scope.accountId,
  );
  const name = `${platformName(target.platform)} ${accountName(target.accountId)}`;
  const plan = async (error: string | undefined) => {
    await planOutcome({ ...scope, ...(error === undefined ? {} : { error }) });
    // The button or the form disappears.
    frame.current?.focus();
    notify(error === undefined ? 'The target will succeed.' : 'The target will fail when the post is published.');
  };
  return (
    <div ref={frame} class="planned" tabIndex={-1}>
      {planned?.error === undefined ? (
        <FailTarget name={name} fail={plan} />
      ) : (
        <>
          <p class="bad">Will fail: {planned.error}</p>
          <BusyButton class="button button-small" label={`Let it succeed: ${name}`} onPress={() => plan(undefined)}>
            Let it succeed
          </BusyButton>
        </>
      )}
    </div>
  );
}

function FailTarget({ name, fail }: { readonly name: string; readonly fail: (error: string) => Promise<void> }) {
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isOpen) input.current?.select();
  }, [isOpen]);
  return (
    <>
      <button
        type="button"
        class="button button-small"
        aria-expanded={isOpen}
        aria-label={`Fail this target: ${name}`}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        Fail this target
      </button>
      {isOpen && (
        <Form
          submit="Fail it"
          label={`Fail ${name}`}
          onSubmit={async ({ error }) => {
            if (error === undefined) throw new FieldError('error', 'Enter the error of the platform.');
            await fail(error);
          }}
        >
          <Field label="Error">
            <input ref={input} name="error" defaultValue="The platform refused the post." autocomplete="off" />
          </Field>
        </Form>
      )}
    </>
  );
}
