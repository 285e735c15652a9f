import type { ListReply } from '../pagination/page.js';
import * as z from 'zod/mini';
import { endpoint, endpointAt, listEndpoint, type Endpoint } from '../core/call/endpoint.js';
import { requestChecks, Resource, type RequestOptions } from '../core/call/transport.js';
import { Paginator, type PaginatorOptions } from '../pagination/paginator.js';
import { carryResponse } from '../core/call/response.js';
import { isErrorNamed } from '../core/errors.js';
import { checkCallOptions, isNumber, optionsOf, ownOptions } from '../core/call/options.js';
import * as s from '../schema/fields.js';
import { dayMs, instantOf } from '../model/instant.js';
import { knownPlatforms, type KnownPlatform, type Platform } from '../model/known-values.js';

/** The registered OAuth app of an integration (Integration). */
export interface IntegrationApp {
  /** The app's ID. */
  id?: string | undefined;
  /** The app's name. */
  name?: string | undefined;
  /** The URL of the app's image. */
  imageUrl?: string | undefined;
}

/** A connected social account (Integration). */
export interface Integration {
  /** The integration's ID: other operations take it as `accountId`. */
  id: string;
  /** The platform. */
  platform?: Platform | undefined;
  /** The user's ID on the platform. */
  platformUserId?: string | undefined;
  /** The user name. */
  username?: string | undefined;
  /** The display name. */
  displayName?: string | undefined;
  /** The profile's address on the platform, a URI. */
  profileUrl?: string | undefined;
  /** The URL of the profile's image, a URI. */
  imageUrl?: string | undefined;
  /** Further data of the platform, free-form. */
  platformMetadata?: Record<string, unknown> | undefined;
  /** The profile that it is assigned to. `null`: none. */
  profileId?: string | null | undefined;
  /** The name of that profile. Missing: none. */
  profileName?: string | undefined;
  /** The ID of the registered OAuth app. Missing: the service's own is used. */
  appId?: string | undefined;
  /** The registered OAuth app. Missing: the service's own is used. */
  app?: IntegrationApp | undefined;
  /** `true` if the integration uses your own OAuth app. */
  byok?: boolean | undefined;
  /** `active` is documented; other values are not. */
  authStatus?: 'active' | (string & {}) | undefined;
  /** Why authorization failed. `token_expired` is documented; other values are not. Missing: it did not fail. */
  authFailureReason?: 'token_expired' | (string & {}) | undefined;
  /** Whether insights can be read. */
  insightsReadable?: boolean | undefined;
  /** When it was connected, an ISO 8601 date-time. */
  createdAt?: string | undefined;
}

/** Whether an integration's token works (Integration, single read). */
export interface TokenStatus {
  /** Whether it is valid. */
  valid?: boolean | undefined;
  /** Whether the service refreshes it automatically. */
  autoRefreshes?: boolean | undefined;
  /** Whether the account must be connected again. */
  reconnectRequired?: boolean | undefined;
  /** Why. Its values are not documented. */
  reason?: string | undefined;
}

/** An integration with the fields of its single read (Integration). OAuth tokens are never returned. */
export interface IntegrationDetail extends Integration {
  /** The recorded OAuth scopes. */
  scopes?: string[] | undefined;
  /** When the access token expires, an ISO 8601 date-time. Missing: not known. */
  accessTokenExpiresAt?: string | undefined;
  /** When the refresh token expires, an ISO 8601 date-time. Missing: not known. */
  refreshTokenExpiresAt?: string | undefined;
  /** Whether the token works. */
  tokenStatus?: TokenStatus | undefined;
  /** When it was last changed, an ISO 8601 date-time. */
  updatedAt?: string | undefined;
}

/** The filters and sort fields of `integrations.list` (GET /v1/connect/integrations). */
export interface ListIntegrationsQuery {
  /** Only integrations of this platform. */
  platform?: KnownPlatform | undefined;
  /** Only integrations of this profile. `null`: only integrations without a profile. */
  profileId?: string | null | undefined;
  /**
   * Searches display name, user name and platform user ID, ignoring case; a complete integration ID matches exactly.
   */
  q?: string | undefined;
  /** Integrations in a page, 1 to 100. Default 20. */
  limit?: number | undefined;
  /** The number of integrations to skip, 0 or more. Default 0. */
  offset?: number | undefined;
  /**
   * The sort field. Default `createdAt`, the connection date. The name of the alternative, by account name, is not
   * documented.
   */
  sortBy?: 'createdAt' | (string & {}) | undefined;
  /** The order. */
  sort?: 'asc' | 'desc' | undefined;
}

/** A page of integrations (GET /v1/connect/integrations). */
export interface ListIntegrationsResponse extends ListReply<ListIntegrationsQuery> {
  /** The total number of integrations that match the filters. */
  total?: number | undefined;
  /** The integrations of this page. */
  integrations: Integration[];
}

/** The fields that `integrations.update` changes (PATCH /v1/connect/integrations/{id}). */
export interface UpdateIntegrationBody {
  /** The profile to move the integration to, in the same project; `null` leaves it unassigned. */
  profileId: string | null;
}

/** The accounts to save (POST /v1/connect/.../selection/{token}). */
export interface SelectAccountsBody {
  /** The IDs of the Pages or accounts that the user picked. */
  selectedAccountIds: readonly string[];
}

/** The reply to a selection (POST /v1/connect/.../selection/{token}). */
export interface SelectionResponse {
  /** `true` if the service accepted the request. */
  success?: boolean | undefined;
  /** `facebook` or `instagram`. */
  platform?: Platform | undefined;
  /** A message of the service. */
  message?: string | undefined;
  /** The page to which the user's browser goes next. */
  redirectUri?: string | undefined;
  /** The saved integrations. */
  integrations: Integration[];
}

/** Why an account needs attention. */
export type AttentionReason = 'auth_failed' | 'reconnect_required' | 'expires_soon' | 'insights_unreadable';

/** An account that needs attention, and why. */
export interface NeedsAttention<Account> {
  /** The integration: as listed if the list shows the reason, otherwise as read, with its token. */
  readonly integration: Account;
  /**
   * The first reason that applies. `auth_failed`: the service reports a failed authorization. `reconnect_required`: the
   * token's status asks you to connect the account again. `expires_soon`: the access token expires within `withinDays`, or
   * has expired, and does not refresh automatically. `insights_unreadable`: the insights of the Instagram account cannot be
   * read.
   */
  readonly reason: AttentionReason;
  /** When the access token expires, an ISO 8601 date-time. Missing: it was not read. */
  readonly expiresAt?: string;
}

/** How far ahead an expiry counts. */
export interface NeedingAttentionOptions extends RequestOptions {
  /** How many days ahead an expiry counts as soon, a finite number, 0 or more. Default 7. */
  readonly withinDays?: number | undefined;
}

const integrationShape = () => ({
  id: z.string(),
  platform: s.optional(s.open(knownPlatforms)),
  platformUserId: s.optionalString(),
  username: s.optionalString(),
  displayName: s.optionalString(),
  profileUrl: s.optionalUri(),
  imageUrl: s.optionalUri(),
  platformMetadata: s.optionalFreeForm(),
  profileId: s.optional(z.nullable(z.string())),
  profileName: s.optionalString(),
  appId: s.optionalString(),
  app: s.optional(s.reply({ id: s.optionalString(), name: s.optionalString(), imageUrl: s.optionalString() })),
  byok: s.optionalBoolean(),
  authStatus: s.optional(s.open(['active'])),
  authFailureReason: s.optional(s.open(['token_expired'])),
  insightsReadable: s.optionalBoolean(),
  createdAt: s.optionalReplyDateTime(),
});

export const integrationSchema = s.once(() => s.reply(integrationShape()));

export const integrationDetailSchema = s.once(() =>
  s.reply({
    ...integrationShape(),
    scopes: s.optionalStrings(),
    accessTokenExpiresAt: s.optionalReplyDateTime(),
    refreshTokenExpiresAt: s.optionalReplyDateTime(),
    tokenStatus: s.optional(
      s.reply({
        valid: s.optionalBoolean(),
        autoRefreshes: s.optionalBoolean(),
        reconnectRequired: s.optionalBoolean(),
        reason: s.optionalString(),
      }),
    ),
    updatedAt: s.optionalReplyDateTime(),
  }),
);

export const listIntegrationsQuerySchema = s.once(() =>
  z.strictObject({
    platform: z.optional(s.oneOf(knownPlatforms)),
    profileId: z.optional(s.idOrNull()),
    q: s.optionalString(),
    limit: s.optionalLimit(),
    offset: s.optionalFromZero(),
    sortBy: s.optionalString(),
    sort: z.optional(s.oneOf(['asc', 'desc'])),
  }),
);

export const listIntegrationsResponseSchema = s.once(() =>
  s.envelope({ total: s.optionalInteger(), integrations: z.array(integrationSchema()) }),
);

export const getIntegrationResponseSchema = s.once(() => s.envelope({ integration: integrationDetailSchema() }));

export const updateIntegrationBodySchema = s.once(() => z.strictObject({ profileId: s.idOrNull() }));

export const updateIntegrationResponseSchema = s.once(() => s.envelope({ integration: integrationSchema() }));

export const selectAccountsBodySchema = s.once(() => z.strictObject({ selectedAccountIds: z.array(s.id()) }));

export const selectionResponseSchema = s.once(() =>
  s.envelope({
    platform: s.optional(s.open<KnownPlatform>(['facebook', 'instagram'])),
    message: s.optionalString(),
    redirectUri: s.optionalUri(),
    integrations: z.array(integrationSchema()),
  }),
);

/** The two selections differ in their platform and their token. A bundler can drop a call of this function. */
/* @__NO_SIDE_EFFECTS__ */
function selectionEndpoint(of: Pick<Endpoint, 'route' | 'summary' | 'params'>) {
  return endpoint({
    ...of,
    selection: true,
    secrets: { params: ['token'] },
    body: selectAccountsBodySchema,
    response: selectionResponseSchema,
    retry: 'once',
    errorForm: 'error',
  });
}

export const integrationEndpoints = {
  list: listEndpoint({
    route: 'GET /v1/connect/integrations',
    summary: 'Lists the integrations of the project.',
    query: listIntegrationsQuerySchema,
    response: listIntegrationsResponseSchema,
    retry: 'repeatable',
    defaults: { limit: 20, offset: 0, sortBy: 'createdAt' },
    list: { style: 'offset', items: 'integrations', itemId: 'id', total: 'total' },
  }),
  get: endpoint({
    route: 'GET /v1/connect/integrations/{id}',
    summary: 'Reads one integration, with its scopes and token status.',
    params: { id: { description: "The integration's ID." } },
    response: getIntegrationResponseSchema,
    retry: 'repeatable',
    errorForm: 'error',
  }),
  update: endpoint({
    route: 'PATCH /v1/connect/integrations/{id}',
    summary: 'Moves an integration to another profile of the project, or out of any.',
    params: { id: { description: "The integration's ID." } },
    body: updateIntegrationBodySchema,
    response: updateIntegrationResponseSchema,
    retry: 'repeatable',
    errorForm: 'error',
  }),
  selectFacebookPages: selectionEndpoint({
    route: 'POST /v1/connect/facebook/selection/{token}',
    summary: 'Saves the selected Facebook Pages as integrations and uses the one-time token up.',
    params: { token: { description: 'The one-time selection token, at least 1 character.', minLength: 1 } },
  }),
  selectInstagramAccounts: selectionEndpoint({
    route: 'POST /v1/connect/instagram/selection/{token}',
    summary: 'Saves the selected Instagram accounts as integrations and uses the one-time token up.',
    params: {
      token: { description: 'The one-time selection token, 20 to 100 characters.', minLength: 20, maxLength: 100 },
    },
  }),
};

const defaultWithinDays = 7;
const attentionOptions = optionsOf<NeedingAttentionOptions>('an option of needingAttention', {
  withinDays: isNumber({ least: 0 }),
  ...requestChecks,
});

function isAuthFailed({ authStatus, authFailureReason }: Integration): boolean {
  return (authFailureReason ?? '') !== '' || (authStatus !== undefined && authStatus !== 'active');
}

/** @param soon an access token that expires by this time, in milliseconds since 1970, needs attention */
export function attentionReason(account: IntegrationDetail, soon: number): AttentionReason | undefined {
  const { platform, tokenStatus, accessTokenExpiresAt, insightsReadable } = account;
  if (isAuthFailed(account)) return 'auth_failed';
  if (tokenStatus?.reconnectRequired === true) return 'reconnect_required';
  if (tokenStatus?.autoRefreshes !== true && (instantOf(accessTokenExpiresAt) ?? Infinity) <= soon)
    return 'expires_soon';
  return platform === 'instagram' && insightsReadable === false ? 'insights_unreadable' : undefined;
}

/** Reads an account. `undefined`: it is not connected. */
export async function getIfConnected(
  integrations: Pick<Integrations, 'get'>,
  id: string,
  options: RequestOptions,
): Promise<IntegrationDetail | undefined> {
  try {
    return await integrations.get(id, options);
  } catch (error) {
    if (isErrorNamed(error, 'NotFoundError')) return undefined;
    throw error;
  }
}

/** Connected social accounts. A plain object can implement it in tests. */
export interface Integrations extends Pick<IntegrationsResource, keyof IntegrationsResource> {}

/** Connected social accounts. */
export class IntegrationsResource extends Resource {
  /**
   * Lists the integrations of the project.
   *
   * API document: Connect and integrations, GET /v1/connect/integrations.
   *
   * @example
   * ```ts
   * const { items } = await client.integrations.list({ platform: 'bluesky' });
   * ```
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  list(
    query: ListIntegrationsQuery = {},
    options?: RequestOptions & PaginatorOptions,
  ): Paginator<Integration, ListIntegrationsResponse> {
    return Paginator.of(this.transport, integrationEndpoints.list, { query }, options);
  }

  /**
   * Yields each account that needs attention, once, with the reason. It walks the whole list. It also reads each integration
   * that the list shows as healthy, because only that read shows the token.
   *
   * API document: Resources and their fields, Integration; Errors, 6. Values of `authStatus` other than `active` are not
   * documented: any other counts as failed.
   *
   * @example
   * ```ts
   * for await (const { integration, reason } of client.integrations.needingAttention({ withinDays: 7 })) {
   *   console.log(integration.username, reason);
   * }
   * ```
   * @throws {@link InvalidRequestError} an option is invalid; nothing was sent
   */
  async *needingAttention(
    options: NeedingAttentionOptions = {},
  ): AsyncGenerator<NeedsAttention<IntegrationDetail>, void, undefined> {
    checkCallOptions(attentionOptions, options, endpointAt(integrationEndpoints.list));
    const { withinDays = defaultWithinDays, ...requestOptions } = ownOptions(attentionOptions, options);
    for await (const listed of this.list({ limit: s.longestPage }, requestOptions)) {
      if (isAuthFailed(listed)) {
        yield { integration: listed, reason: 'auth_failed' };
        continue;
      }
      // Only the read of a single integration shows its token.
      const integration = await getIfConnected(this, listed.id, requestOptions);
      // It was disconnected since it was listed.
      if (integration === undefined) continue;
      const reason = attentionReason(integration, this.transport.runtime.now() + withinDays * dayMs);
      if (reason === undefined) continue;
      const { accessTokenExpiresAt: expiresAt } = integration;
      yield { integration, reason, ...(expiresAt === undefined ? {} : { expiresAt }) };
    }
  }

  /**
   * Resolves to one integration, with its scopes, token expiry and token status.
   *
   * API document: Connect and integrations, GET /v1/connect/integrations/{id}.
   *
   * @example
   * ```ts
   * const { tokenStatus } = await client.integrations.get('integration_1');
   * ```
   * @throws {@link ApiError} there is no such integration. The API document does not name the status.
   */
  async get(integrationId: string, options?: RequestOptions): Promise<IntegrationDetail> {
    const response = await this.transport.call(integrationEndpoints.get, { params: { id: integrationId } }, options);
    return carryResponse(response, response.integration);
  }

  /**
   * Moves an integration to another profile of the same project, or out of any, and resolves to it. Its OAuth credentials
   * and its posts stay as they are.
   *
   * API document: Connect and integrations, PATCH /v1/connect/integrations/{id}.
   *
   * @example
   * ```ts
   * await client.integrations.update('integration_1', { profileId: 'profile_2' });
   * ```
   * @throws {@link ApiError} the service refused
   */
  async update(integrationId: string, body: UpdateIntegrationBody, options?: RequestOptions): Promise<Integration> {
    const response = await this.transport.call(
      integrationEndpoints.update,
      { params: { id: integrationId }, body },
      options,
    );
    return carryResponse(response, response.integration);
  }

  /**
   * Saves the selected Facebook Pages as integrations, and only those. The token works once: it is used up by a success.
   * The call is never retried once it may have reached the service.
   *
   * API document: Connect and integrations, POST /v1/connect/facebook/selection/{token}. Whether the access key is
   * required here is not documented; it is sent.
   *
   * @example
   * ```ts
   * const { integrations } = await client.integrations.selectFacebookPages(token, { selectedAccountIds: ['page_1'] });
   * ```
   * @param token the one-time selection token, at least 1 character
   * @throws {@link ApiError} the service refused, for example a token that was used before
   */
  selectFacebookPages(token: string, body: SelectAccountsBody, options?: RequestOptions): Promise<SelectionResponse> {
    return this.transport.call(integrationEndpoints.selectFacebookPages, { params: { token }, body }, options);
  }

  /**
   * Saves the selected Instagram accounts as integrations, and only those. The token works once: it is used up by a
   * success. The call is never retried once it may have reached the service.
   *
   * API document: Connect and integrations, POST /v1/connect/instagram/selection/{token}. Whether the access key is
   * required here is not documented; it is sent.
   *
   * @example
   * ```ts
   * const { integrations } = await client.integrations.selectInstagramAccounts(token, { selectedAccountIds: ['ig_1'] });
   * ```
   * @param token the one-time selection token, 20 to 100 characters
   * @throws {@link ApiError} the service refused, for example a token that was used before
   */
  selectInstagramAccounts(
    token: string,
    body: SelectAccountsBody,
    options?: RequestOptions,
  ): Promise<SelectionResponse> {
    return this.transport.call(integrationEndpoints.selectInstagramAccounts, { params: { token }, body }, options);
  }
}
