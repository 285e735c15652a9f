import { useEffect, useRef, useState } from 'preact/hooks';
import type { Integration, IntegrationDetail } from 'social-publishing';
import { PlatformBadge, Verdict } from '../../parts/Badges.js';
import { CopyButton } from '../../parts/CopyButton.js';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { Icon } from '../../parts/Icon.js';
import { Loading } from '../../parts/Loading.js';
import { scheduledFor } from '../../state/account-health.js';
import { isConnected, nameOf, titleOf } from '../../state/accounts.js';
import { changed, connection } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { notifyError } from '../../state/notify-error.js';
import { platformName } from '../../state/platform-names.js';
import { quantity } from '../../state/quantity.js';
import { linkTo } from '../../state/route.js';
import { formatDateTime } from '../../state/time.js';
import { background, client } from '../../world/session.js';
import type { Attention } from './attention.js';
import { HealthButtons } from './HealthButtons.js';

const reasonWords: Readonly<Record<Attention['reason'], string>> = {
  auth_failed: 'The authorization failed',
  reconnect_required: 'Reconnect required',
  expires_soon: 'Expires soon',
  insights_unreadable: 'Insights can’t be read',
};

interface Props {
  readonly account: Integration;
  readonly attention: Attention | undefined;
  /** Whether the health was read. */
  readonly known: boolean;
  /** Whether a link leads to this account. */
  readonly isChosen: boolean;
}

/** One account in a row. Its details are read when a user opens them. */
export function AccountRow({ account, attention, known, isChosen }: Props) {
  const [isOpen, setOpen] = useState(false);
  const name = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isChosen) return;
    name.current?.focus();
    name.current?.closest('.account')?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  const { id, platform, displayName, profileId, profileName, app } = account;
  return (
    <li class="account" aria-current={isChosen ? 'true' : undefined}>
      <PlatformBadge platform={platform} />
      <div class="account-name">
        <h2 ref={name} tabIndex={-1}>
          <bdi>{nameOf(account)}</bdi>
          <span class="unseen">, {platformName(platform)}</span>
        </h2>
        <p class="hint">
          <bdi>{displayName}</bdi> · {platformName(platform)}
          {app !== undefined && ` · app ${app.name ?? app.id}`}
        </p>
        {attention !== undefined && <Reason account={account} attention={attention} />}
      </div>
      <div class="account-facts">
        <Health known={known} needs={attention !== undefined} />
        <bdi class="hint">{profileName ?? profileId ?? 'no profile'}</bdi>
        <code>{id}</code>
      </div>
      <HealthButtons account={account} />
      <button
        type="button"
        class="button button-quiet button-icon button-small account-toggle"
        aria-label={`Details of ${titleOf(account)}`}
        title="Details"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        <Icon name={isOpen ? 'up' : 'down'} />
      </button>
      {isOpen && <Details account={account} />}
    </li>
  );
}

function Health({ known, needs }: { readonly known: boolean; readonly needs: boolean }) {
  if (!known) return <span class="status">{connection.value === 'lost' ? 'Not read' : 'Checking'}</span>;
  return <Verdict ok={!needs}>{needs ? 'Needs attention' : 'Healthy'}</Verdict>;
}

function Reason({ account, attention: { reason, expiresAt } }: { account: Integration; attention: Attention }) {
  return (
    <p class="bad">
      {reasonWords[reason]}
      {account.authFailureReason !== undefined && ` (${account.authFailureReason})`}
      {expiresAt !== undefined && `, ${formatDateTime(expiresAt)}`}
      {!isConnected(account) && <FailingPosts account={account} />}
    </p>
  );
}

/** Leads to the scheduled posts that will fail on an account. */
function FailingPosts({ account }: { readonly account: Integration }) {
  const count = scheduledFor(account);
  if (count === 0) return null;
  return (
    <>
      .{' '}
      <a href={linkTo('posts', { status: 'scheduled', account: account.id })}>
        {quantity(count, 'scheduled post', 'scheduled posts')} will fail
      </a>
    </>
  );
}

function Details({ account }: { readonly account: Integration }) {
  const detail = useDetail(account);
  if (detail === undefined) return <Loading class="account-details" />;
  const { accessTokenExpiresAt, tokenStatus, scopes = [] } = detail;
  return (
    <div class="account-details">
      <dl class="facts">
        <dt>Token</dt>
        <dd>
          {tokenStatus?.valid === false ? 'not valid' : 'valid'}
          {tokenStatus?.valid !== false &&
            accessTokenExpiresAt !== undefined &&
            `, until ${formatDateTime(accessTokenExpiresAt)}`}
          {tokenStatus?.autoRefreshes === true && ', refreshes automatically'}
        </dd>
        <dt>Scopes</dt>
        <dd>{scopes.length === 0 ? 'none recorded' : scopes.join(', ')}</dd>
        <dt>Posts</dt>
        <dd>
          <a href={linkTo('posts', { account: account.id })}>
            Posts with this account<span class="unseen">: {titleOf(account)}</span>
          </a>
        </dd>
        <dt>ID</dt>
        <dd>
          <code>{account.id}</code> <CopyButton text={account.id} label={`ID of ${titleOf(account)}`} />
        </dd>
      </dl>
      <ProfileForm account={account} />
    </div>
  );
}

/** Reads the details of an account, and reads them again when the account changes. */
function useDetail(account: Integration): IntegrationDetail | undefined {
  const [detail, setDetail] = useState<IntegrationDetail | undefined>();
  useEffect(() => {
    let isShown = true;
    background()
      .integrations.get(account.id)
      .then((read) => {
        if (isShown) setDetail(read);
      }, notifyError);
    return () => {
      isShown = false;
    };
  }, [account]);
  return detail;
}

/** Moves an account to another profile. */
function ProfileForm({ account }: { readonly account: Integration }) {
  const { id, profileId } = account;
  return (
    <Form
      submit="Move"
      label={`Profile of ${titleOf(account)}`}
      onSubmit={async ({ profile }) => {
        await client().integrations.update(id, { profileId: profile ?? null });
        notify(`${titleOf(account)}: the account was moved.`);
        changed('account');
      }}
    >
      <Field label="Profile ID" hint="Empty: unassigned.">
        <input name="profile" defaultValue={profileId ?? ''} />
      </Field>
    </Form>
  );
}
