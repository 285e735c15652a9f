import { useEffect, useRef, useState } from 'preact/hooks';
import type { Integration, IntegrationDetail } from 'social-publishing';
import { PlatformBadge, Verdict } from '../../parts/Badges.js';
import { BusyButton } from '../../parts/Busy.js';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { nameOf, titleOf } from '../../state/accounts.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { platformName } from '../../state/platform-names.js';
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

export function AccountCard({ account, attention, known, isChosen }: Props) {
  const [detail, setDetail] = useState<IntegrationDetail | undefined>();
  const name = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isChosen) return;
    name.current?.focus();
    name.current?.closest('.account')?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  const { id, platform, displayName } = account;
  return (
    <li class="panel account" aria-current={isChosen ? 'true' : undefined}>
      <div class="account-head">
        <PlatformBadge platform={platform} />
        <div>
          <h2 ref={name} tabIndex={-1}>
            <bdi>{nameOf(account)}</bdi>
          </h2>
          <p class="hint">
            {displayName} · {platformName(platform)}
          </p>
        </div>
        <Health known={known} needs={attention !== undefined} />
      </div>
      {attention !== undefined && <Reason account={account} attention={attention} />}
      <Facts account={account} detail={detail} />
      <div class="account-actions">
        <HealthButtons account={account} />
        {detail === undefined ? (
          <BusyButton
            class="button button-quiet button-small"
            label={`Token and profile of ${titleOf(account)}`}
            onPress={async () => {
              setDetail(await background().integrations.get(id));
            }}
          >
            Token and profile
          </BusyButton>
        ) : (
          <ProfileForm account={account} />
        )}
      </div>
    </li>
  );
}

function Health({ known, needs }: { readonly known: boolean; readonly needs: boolean }) {
  if (!known) return <span class="status">Checking</span>;
  return <Verdict ok={!needs}>{needs ? 'Needs attention' : 'Healthy'}</Verdict>;
}

interface FactsProps {
  readonly account: Integration;
  readonly detail: IntegrationDetail | undefined;
}

function Facts({ account: { id, profileId, profileName, app }, detail }: FactsProps) {
  return (
    <dl class="facts">
      <dt>Profile</dt>
      <dd>{profileName ?? profileId ?? 'none'}</dd>
      {app !== undefined && (
        <>
          <dt>Own app</dt>
          <dd>{app.name ?? app.id}</dd>
        </>
      )}
      <dt>ID</dt>
      <dd>
        <code>{id}</code>
      </dd>
      {detail !== undefined && <DetailFacts detail={detail} />}
    </dl>
  );
}

function Reason({ account, attention: { reason, expiresAt } }: { account: Integration; attention: Attention }) {
  return (
    <p class="bad">
      {reasonWords[reason]}
      {account.authFailureReason !== undefined && ` (${account.authFailureReason})`}
      {expiresAt !== undefined && `, ${formatDateTime(expiresAt)}`}
    </p>
  );
}

function DetailFacts({ detail }: { readonly detail: IntegrationDetail }) {
  const { accessTokenExpiresAt, tokenStatus, scopes = [] } = detail;
  return (
    <>
      <dt>Token</dt>
      <dd>
        {tokenStatus?.valid === false ? 'not valid' : 'valid'}
        {accessTokenExpiresAt !== undefined && `, until ${formatDateTime(accessTokenExpiresAt)}`}
        {tokenStatus?.autoRefreshes === true && ', refreshes automatically'}
      </dd>
      <dt>Scopes</dt>
      <dd>{scopes.length === 0 ? 'none recorded' : scopes.join(', ')}</dd>
    </>
  );
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
