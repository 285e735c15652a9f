import { useEffect, useRef, useState } from 'preact/hooks';
import type { Post, TargetResult } from 'social-publishing';
import { PlatformBadge, StatusBadge } from '../parts/Badges.js';
import { BusyButton } from '../parts/Busy.js';
import { Field } from '../parts/Field.js';
import { FieldError } from '../parts/field-problems.js';
import { Form } from '../parts/Form.js';
import { accountName, accounts } from '../state/accounts.js';
import { notify } from '../state/notices.js';
import { outcomes, planOutcome, type OutcomeInput } from '../state/outcomes.js';
import { platformName } from '../state/platform-names.js';
import { problemsFirst, targetsOf } from '../state/posts.js';
import { linkTo } from '../state/route.js';
import { accountsOf } from '../state/target-accounts.js';
import { formatDateTime } from '../state/time.js';
import { useRemote, useRemoteOf } from '../state/use-remote.js';
import { postTraffic } from '../views/posts/post-traffic.js';

/** The targets of a post with their results. Before the publication, a target can be made to fail. */
export function TargetList({ post }: { readonly post: Post }) {
  const traffic = useRemoteOf(postTraffic, post.postId);
  const isRead = traffic?.postId === post.postId;
  const known = accountsOf(post, isRead ? traffic.requests : []);
  // An edit may have exchanged the accounts: before the requests are read, a button could mean another target.
  const isReady = isRead || postTraffic.error.value !== undefined;
  const targets = targetsOf(post).map((target, index) => ({ ...target, accountId: known[index] }));
  if (targets.length === 0) return <p class="hint">A draft needs no targets.</p>;
  const isPlanned = post.status === 'scheduled' || post.status === 'publishing';
  return (
    <ul role="list" class="target-list">
      {problemsFirst(targets).map((target, index) => (
        <li key={index}>
          <PlatformBadge platform={target.platform} />
          <div>
            <p>
              <strong>{platformName(target.platform)}</strong> <AccountLink id={target.accountId} />
            </p>
            <TargetWords target={target} />
            {isPlanned && isReady && (
              <PlannedOutcome
                key={target.accountId}
                postId={post.postId}
                target={target}
                isShared={
                  target.accountId === undefined &&
                  targets.filter(({ platform }) => platform === target.platform).length > 1
                }
              />
            )}
          </div>
          <StatusBadge status={target.state} />
        </li>
      ))}
    </ul>
  );
}

function AccountLink({ id }: { readonly id: string | undefined }) {
  const name = <bdi>{accountName(id)}</bdi>;
  // A disconnected account has no card.
  if (id === undefined || accounts.value.value?.some((account) => account.id === id) !== true)
    return <span class="hint">{name}</span>;
  return <a href={linkTo('accounts', { account: id })}>{name}</a>;
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

/** Shows the planned outcome of one target, and changes it. */
function PlannedOutcome({ postId, target, isShared }: PlannedOutcomeProps) {
  const frame = useRef<HTMLDivElement>(null);
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
    // The button or the form disappears.
    frame.current?.focus();
    const subject = isShared ? `All ${platform} targets` : name;
    notify(error === undefined ? `${subject} will succeed.` : `${subject} will fail when the post is published.`);
  };
  return (
    <div ref={frame} class="planned" tabIndex={-1}>
      {planned?.error === undefined ? (
        <FailTarget name={name} isShared={isShared} fail={plan} />
      ) : (
        <>
          <p class="bad">Will fail: {planned.error}</p>
          <BusyButton
            class="button button-small"
            label={isShared ? `Let ${name} succeed` : `Let it succeed: ${name}`}
            onPress={() => plan(undefined)}
          >
            {isShared ? `Let ${name} succeed` : 'Let it succeed'}
          </BusyButton>
        </>
      )}
    </div>
  );
}

interface FailTargetProps {
  readonly name: string;
  readonly isShared: boolean;
  readonly fail: (error: string) => Promise<void>;
}

function FailTarget({ name, isShared, fail }: FailTargetProps) {
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
        aria-label={isShared ? `Fail ${name}` : `Fail this target: ${name}`}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        {isShared ? `Fail ${name}` : 'Fail this target'}
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
