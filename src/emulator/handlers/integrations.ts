import type { Integration, IntegrationDetail, integrationEndpoints } from '../../resources/integrations.js';
import { connect } from './connect.js';
import { ErrorReply, type Handlers, type Service, slice, sorted } from './handler.js';
import type { Table } from '../state/table.js';
import { age, timestamp } from '../state/time.js';
import type { Store } from '../state/store.js';

export const integrationHandlers: Handlers<typeof integrationEndpoints> = {
  list({ store }, { query }) {
    const { platform, profileId, q, sortBy } = query;
    const text = q?.toLowerCase();
    const matching = [...store.state.integrations.values()].filter(
      (integration) =>
        (platform === undefined || integration.platform === platform) &&
        (profileId === undefined || (integration.profileId ?? null) === profileId) &&
        (text === undefined ||
          integration.id === q ||
          namesOf(integration).some((name) => name.toLowerCase().includes(text))),
    );
    const byName = sortBy !== undefined && sortBy !== 'createdAt';
    const order = query.sort ?? (byName ? 'asc' : 'desc');
    const all = byName
      ? // Names cannot contain this character, so a prefix of a longer name comes first.
        sorted(matching, (integration) => namesOf(integration).join('\u0000').toLowerCase(), order)
      : // If two were connected in the same instant, the later one is newer.
        sorted(order === 'desc' ? matching.reverse() : matching, (integration) => age(integration.createdAt), order);
    const page = slice(all, query.offset, query.limit);
    return { success: true, total: matching.length, integrations: page.map(shownIntegration) };
  },

  get({ store }, { param }) {
    return { success: true, integration: find(store.state.integrations, param('id')) };
  },

  update({ store, clock }, { param, body }) {
    const integration = find(store.state.integrations, param('id'));
    const { profileId } = body;
    const named = [...store.state.integrations.values()].find((other) => other.profileId === profileId)?.profileName;
    const { profileName: _, ...rest } = integration;
    const moved: IntegrationDetail = {
      ...rest,
      profileId,
      ...(profileId === null || named === undefined ? {} : { profileName: named }),
      updatedAt: timestamp(clock.now()),
    };
    store.state.integrations.set(moved.id, moved);
    return { success: true, integration: shownIntegration(moved) };
  },

  selectFacebookPages: (service, { param, body }) =>
    select(service, 'facebook', param('token'), body.selectedAccountIds),

  selectInstagramAccounts: (service, { param, body }) =>
    select(service, 'instagram', param('token'), body.selectedAccountIds),
};

/** Returns the texts that a search reads, in the order in which they sort integrations. */
function namesOf({ username, displayName, platformUserId }: Integration): string[] {
  return [username, displayName, platformUserId].filter((name) => name !== undefined);
}

function find(integrations: Table<IntegrationDetail>, id: string): IntegrationDetail {
  const integration = integrations.get(id);
  if (integration === undefined) throw new ErrorReply(404, 'The integration does not exist.');
  return integration;
}

const detailOnly: readonly string[] = [
  'scopes',
  'accessTokenExpiresAt',
  'refreshTokenExpiresAt',
  'tokenStatus',
  'updatedAt',
] satisfies Exclude<keyof IntegrationDetail, keyof Integration>[];

/** Returns an integration without the fields that only the single read contains. */
export function shownIntegration({ id, ...rest }: IntegrationDetail): Integration {
  return { id, ...without(rest, detailOnly) };
}

function without(fields: Partial<IntegrationDetail>, names: readonly string[]): Partial<IntegrationDetail> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Fields that a new token resets. */
const ofToken: readonly string[] = [
  'authStatus',
  'authFailureReason',
  'tokenStatus',
  'accessTokenExpiresAt',
  'refreshTokenExpiresAt',
  'updatedAt',
] satisfies (keyof IntegrationDetail)[];

/** Returns the fields of an integration without the fields that its next token sets. */
export function withoutToken(fields: Partial<IntegrationDetail>): Partial<IntegrationDetail> {
  return without(fields, ofToken);
}

function select(service: Service, platform: 'facebook' | 'instagram', token: string, selectedIds: readonly string[]) {
  const { store } = service;
  const selection = store.state.selections.get(token);
  if (selection?.platform !== platform) throw new ErrorReply(404, 'The selection token does not exist.');
  if (selection.used) throw new ErrorReply(410, 'The selection token was used before.');
  if (selectedIds.length === 0) throw new ErrorReply(400, 'selectedAccountIds is empty.');
  const picked = [...new Set(selectedIds)].map((id) => {
    const found = selection.accounts.find((account) => account.id === id);
    if (found === undefined)
      throw new ErrorReply(400, 'selectedAccountIds contains an account that the token does not offer.');
    return found;
  });
  store.state.selections.set(token, { ...selection, used: true });
  const integrations = picked.map(({ id, ...fields }) => {
    const known = [...store.state.integrations.values()].find(
      (other) => other.platform === platform && other.platformUserId === id,
    );
    // A connected account is not connected twice; it gets a new token.
    const kept = withoutToken(known ?? {});
    return shownIntegration(connect(service, { ...kept, ...fields, platform, platformUserId: id }));
  });
  return {
    success: true,
    platform,
    message: `${String(integrations.length)} ${integrations.length === 1 ? 'account' : 'accounts'} connected.`,
    redirectUri: selection.redirectUri,
    integrations,
  };
}

export function account(store: Store, accountId: string, platform?: string): IntegrationDetail {
  const integration = store.state.integrations.get(accountId);
  if (integration === undefined) throw new ErrorReply(404, 'accountId: the integration does not exist.');
  if (platform !== undefined && integration.platform !== platform) {
    throw new ErrorReply(400, `accountId: the integration is not one of ${platform}.`);
  }
  return integration;
}
