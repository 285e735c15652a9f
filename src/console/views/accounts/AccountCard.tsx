import { useState } from 'preact/hooks';
import type { Integration, IntegrationDetail } from 'social-publishing';
import { PlatformBadge, platformName, Verdict } from '../../parts/Badges.js';
import { BusyButton } from '../../parts/Busy.js';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { nameOf } from '../../state/accounts.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
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
}

export function AccountCard({ account, attention }: Props) {
  const [detail, setDetail] = useState<IntegrationDetail | undefined>();
  const { id, platform, displayName, profileName, app } = account;
  return (
    <li class="panel account">
      <div class="account-head">
        <PlatformBadge platform={platform} />
        <div>
          <h2>
            <bdi>{nameOf(account)}</bdi>
          </h2>
          <p class="hint">
            {displayName} · {platformName(platform)}
          </p>
        </div>
        <Verdict ok={attention === undefined}>{attention === undefined ? 'Healthy' : 'Needs attention'}</Verdict>
      </div>
      {attention !== undefined && <Reason account={account} attention={attention} />}
      <dl class="facts">
        <dt>Profile</dt>
        <dd>{profileName ?? account.profileId ?? 'none'}</dd>
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
      <HealthButtons account={account} />
      {detail === undefined ? (
        <BusyButton
          class="button button-small"
          label={`Token and profile of ${nameOf(account)}`}
          onPress={async () => {
            setDetail(await background().integrations.get(id));
          }}
        >
          Token and profile
        </BusyButton>
      ) : (
        <ProfileForm account={account} />
      )}
    </li>
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
function ProfileForm({ account: { id, profileId } }: { readonly account: Integration }) {
  return (
    <Form
      submit="Move"
      onSubmit={async ({ profile }) => {
        await client().integrations.update(id, { profileId: profile ?? null });
        notify('The account was moved.');
        changed('account');
      }}
    >
      <Field label="Profile ID" hint="Empty: unassigned.">
        <input name="profile" defaultValue={profileId ?? ''} />
      </Field>
    </Form>
  );
}
