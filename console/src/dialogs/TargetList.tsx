import { useRef } from 'preact/hooks';
import type { Post, TargetResult } from 'social-publishing';
import { PlatformBadge, StatusBadge } from '../parts/Badges.js';
import { BusyButton } from '../parts/Busy.js';
import { Icon } from '../parts/Icon.js';
import { changeHealth } from '../state/account-health.js';
import { accountName, accounts, isConnected, titleOf } from '../state/accounts.js';
import { platformName } from '../state/platform-names.js';
import { withExpectation } from '../state/expected-targets.js';
import { problemsFirst, targetsOf } from '../state/posts.js';
import { linkTo } from '../state/route.js';
import { accountsOf } from '../state/target-accounts.js';
import { formatDateTime } from '../state/time.js';
import { useRemoteOf } from '../state/use-remote.js';
import { postTraffic } from '../views/posts/post-traffic.js';
import { PlannedOutcome } from './PlannedOutcome.js';

/** The targets of a post with their results. Before the publication, a target can be made to fail. */
export function TargetList({ post }: { readonly post: Post }) {
  const traffic = useRemoteOf(postTraffic, post.postId);
  const isRead = traffic?.postId === post.postId;
  const known = accountsOf(post, isRead ? traffic.requests : []);
  // An edit may have exchanged the accounts: before the requests are read, a button could mean another target.
  const isReady = isRead || postTraffic.error.value !== undefined;
  const isPlanned = post.status === 'scheduled' || post.status === 'publishing';
  const targets = targetsOf(post).map((target, index) => {
    const accountId = known[index];
    return { ...(isPlanned ? withExpectation(target, accountId) : target), accountId };
  });
  if (targets.length === 0) return <p class="hint">A draft needs no targets.</p>;
  return (
    <ul role="list" class="target-list">
      {problemsFirst(targets).map((target, index) => (
        <li key={index}>
          <PlatformBadge platform={target.platform} />
          <strong>{platformName(target.platform)}</strong>
          <AccountLink id={target.accountId} />
          <StatusBadge status={target.state} />
          {isPlanned && isReady ? (
            <PlannedOutcome
              key={target.accountId}
              postId={post.postId}
              target={target}
              isShared={
                target.accountId === undefined &&
                targets.filter(({ platform }) => platform === target.platform).length > 1
              }
            />
          ) : (
            target.publishedAt !== undefined && (
              <span class="target-end hint">{formatDateTime(target.publishedAt)}</span>
            )
          )}
          <TargetWords target={target} />
          {target.state === 'failed' && <Reconnect id={target.accountId} />}
        </li>
      ))}
    </ul>
  );
}

/** Connects the account of a failed target again: without it, another publication fails too. */
function Reconnect({ id }: { readonly id: string | undefined }) {
  const frame = useRef<HTMLParagraphElement>(null);
  const account = accounts.value.value?.find((one) => one.id === id);
  const wasBroken = useRef(false);
  const isBroken = account !== undefined && !isConnected(account);
  wasBroken.current ||= isBroken;
  if (account === undefined || !wasBroken.current) return null;
  return (
    <p ref={frame} class={isBroken ? 'target-more warn' : 'target-more hint'} tabIndex={-1}>
      {isBroken ? 'The account is not connected: reconnect it first.' : 'The account is connected again.'}{' '}
      {isBroken && (
        <BusyButton
          class="button button-small"
          label={`Reconnect: ${titleOf(account)}`}
          onPress={async () => {
            await changeHealth(account, 'reconnect');
            // The button disappears.
            frame.current?.focus();
          }}
        >
          Reconnect
        </BusyButton>
      )}
    </p>
  );
}

function AccountLink({ id }: { readonly id: string | undefined }) {
  const name = <bdi>{accountName(id)}</bdi>;
  // A disconnected account has no card.
  if (id === undefined || accounts.value.value?.some((account) => account.id === id) !== true)
    return <span class="target-account hint">{name}</span>;
  return (
    <a class="target-account" href={linkTo('accounts', { account: id })}>
      {name}
    </a>
  );
}

/** A second line, for what has no room in the first one. */
function TargetWords({ target: { state, error, warning, url } }: { readonly target: TargetResult }) {
  if (error === undefined && warning === undefined && url === undefined) return null;
  return (
    <div class="target-more">
      {error !== undefined && <p class="bad">{error}</p>}
      {warning !== undefined && (
        <p class="warn">
          <Icon name="warning" /> {state === 'published' ? `Published with a warning: ${warning}` : warning}
        </p>
      )}
      {url !== undefined && (
        <p class="hint">
          <code>{url}</code>
        </p>
      )}
    </div>
  );
}
