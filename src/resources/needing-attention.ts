import type { RequestOptions } from '../core/call/transport.js';
import { NotFoundError } from '../core/errors.js';
import { checkCallOptions, isNumber, optionsOf } from '../core/call/options.js';
import { instantOf, dayMs } from '../model/instant.js';

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

interface AccountHealth {
  id: string;
  platform?: string | undefined;
  authStatus?: string | undefined;
  authFailureReason?: string | undefined;
  insightsReadable?: boolean | undefined;
  accessTokenExpiresAt?: string | undefined;
  tokenStatus?: { autoRefreshes?: boolean | undefined; reconnectRequired?: boolean | undefined } | undefined;
}

const defaultWithinDays = 7;
const attentionOptions = optionsOf<Pick<NeedingAttentionOptions, 'withinDays'>>(
  'an option of needingAttention',
  { withinDays: isNumber({ least: 0 }) },
  'allowed',
);

/** Yields the accounts that need attention, in the order of the list (see `IntegrationsResource.needingAttention`). */
export async function* needingAttention<Listed extends AccountHealth, Detail extends Listed>(
  now: () => number,
  list: (options: RequestOptions) => AsyncIterable<Listed>,
  get: (id: string, options: RequestOptions) => Promise<Detail>,
  options: NeedingAttentionOptions,
): AsyncGenerator<NeedsAttention<Listed | Detail>, void, undefined> {
  checkCallOptions(attentionOptions, options);
  const { withinDays = defaultWithinDays, ...requestOptions } = options;
  for await (const listed of list(requestOptions)) {
    if (isAuthFailed(listed)) {
      yield { integration: listed, reason: 'auth_failed' };
      continue;
    }
    // Only the read of a single integration shows its token.
    const integration = await readOrGone(get, listed.id, requestOptions);
    if (integration === undefined) continue;
    const reason = attentionReason(integration, now() + withinDays * dayMs);
    if (reason === undefined) continue;
    const { accessTokenExpiresAt: expiresAt } = integration;
    yield { integration, reason, ...(expiresAt === undefined ? {} : { expiresAt }) };
  }
}

async function readOrGone<Detail>(
  get: (id: string, options: RequestOptions) => Promise<Detail>,
  id: string,
  options: RequestOptions,
): Promise<Detail | undefined> {
  try {
    return await get(id, options);
  } catch (error) {
    // It was disconnected since it was listed.
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function isAuthFailed({ authStatus, authFailureReason }: AccountHealth): boolean {
  return (authFailureReason ?? '') !== '' || (authStatus !== undefined && authStatus !== 'active');
}

/** @param soon an access token that expires by this time, in milliseconds since 1970, needs attention */
export function attentionReason(account: AccountHealth, soon: number): AttentionReason | undefined {
  const { platform, tokenStatus, accessTokenExpiresAt, insightsReadable } = account;
  if (isAuthFailed(account)) return 'auth_failed';
  if (tokenStatus?.reconnectRequired === true) return 'reconnect_required';
  if (tokenStatus?.autoRefreshes !== true && (instantOf(accessTokenExpiresAt) ?? Infinity) <= soon)
    return 'expires_soon';
  return platform === 'instagram' && insightsReadable === false ? 'insights_unreadable' : undefined;
}
