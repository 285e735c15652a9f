import { unchecked } from '../../core/call/options.js';
import type { Integration, IntegrationDetail } from '../../resources/integrations.js';
import type { Service } from '../handlers/handler.js';
import type { Store } from '../state/store.js';
import { connect } from '../handlers/connect.js';
import { shownIntegration, withoutToken } from '../handlers/integrations.js';
import { checkFields, UnknownIdError } from '../service/fields.js';
import { timestamp } from '../state/time.js';
import { planExpiry } from '../state/tokens.js';

/**
 * Returns the integration of a seed or of an incoming text.
 * @param what the method, for messages: `seed.message`
 * @param platforms only these support the kind. Default: all
 */
export function integrationOf(
  { state }: Store,
  what: string,
  accountId: string,
  platforms?: readonly (string | undefined)[],
): IntegrationDetail {
  const integration = state.integrations.get(accountId);
  if (integration === undefined)
    throw new TypeError(`${what}: accountId does not match an integration. Seed the integration first.`);
  if (platforms?.includes(integration.platform) === false)
    throw new TypeError(`${what}: accountId must be an integration on ${platforms.join(', ')}.`);
  return integration;
}

export function onlyAccountOn({ state }: Store, platform: string): string {
  const accounts = [...state.integrations.values()].filter((integration) => integration.platform === platform);
  const [only] = accounts;
  if (only === undefined || accounts.length > 1) {
    throw new TypeError(
      `seed.post: platforms needs an accountId, because ${String(accounts.length)} integrations are on ${platform}.`,
    );
  }
  return only.id;
}

export function newPerson({ store }: Service): { id: string; name: string } {
  const number = String(store.count('person'));
  return { id: `person_${number}`, name: `Person ${number}` };
}

/** Why an authorization fails. */
export interface AuthorizationFailure {
  /** The `authFailureReason` of the integration. Default `authorization_failed`. */
  readonly reason?: string | undefined;
}

/** Changes the health of connected accounts. Each method returns the integration as lists show it. */
export interface EmulatorAccounts {
  /**
   * Expires the token of an integration now: its publications fail until it is connected again.
   * @throws RangeError if the integration does not exist
   */
  expire(id: string): Integration;
  /**
   * Fails the authorization of an integration, as if the user had removed it on the platform: its publications fail
   * until it is connected again.
   * @throws RangeError if the integration does not exist, or the reason is empty
   */
  fail(id: string, failure?: AuthorizationFailure): Integration;
  /**
   * Connects an integration again, with a new token that refreshes automatically.
   * @throws RangeError if the integration does not exist
   */
  reconnect(id: string): Integration;
}

export function createAccounts(service: Service): EmulatorAccounts {
  return {
    expire: (id) =>
      broken(service, id, {
        authStatus: 'expired',
        authFailureReason: 'token_expired',
        accessTokenExpiresAt: timestamp(service.clock.now()),
      }),
    fail(id, failure = {}) {
      checkFields('fail', failure, { reason: unchecked });
      const { reason = 'authorization_failed' } = failure;
      if (typeof reason !== 'string' || reason === '') throw new RangeError('The reason must be a non-empty string.');
      return broken(service, id, { authStatus: 'failed', authFailureReason: reason });
    },
    reconnect(id) {
      const known = find(service, id);
      return shown(service, connect(service, { ...withoutToken(known), platform: known.platform }));
    },
  };
}

function broken(service: Service, id: string, failure: Partial<IntegrationDetail>): Integration {
  const { store, clock } = service;
  const reason = failure.authFailureReason;
  const changed = {
    ...find(service, id),
    ...failure,
    tokenStatus: { valid: false, autoRefreshes: false, reconnectRequired: true, reason },
    updatedAt: timestamp(clock.now()),
  };
  // It cancels the expiry of the token.
  store.state.integrations.set(id, planExpiry(store, changed, clock.now()));
  return shown(service, changed);
}

function find({ store }: Service, id: string): IntegrationDetail & { readonly platform: string } {
  const integration = store.state.integrations.get(id);
  if (integration?.platform === undefined)
    throw new UnknownIdError(`The integration '${id}' does not exist. integrations.list() lists all integrations.`);
  return { ...integration, platform: integration.platform };
}

function shown({ store }: Service, integration: IntegrationDetail): Integration {
  store.changed('accounts');
  return structuredClone(shownIntegration(integration));
}
