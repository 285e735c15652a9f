import type { RequestOptions } from '../core/transport.js';
import { InvalidRequestError, NotFoundError } from '../core/errors.js';
import { misspeltNames } from '../core/names.js';
import { instantOf } from '../model/instant.js';
import { dayMs } from '../model/day.js';

/** Why an account needs a person. */
export type AttentionReason = 'auth_failed' | 'reconnect_required' | 'expires_soon' | 'insights_unreadable';

/** An account that needs a person, and why. */
export interface NeedsAttention<Account> {
  /** The integration. Its token is told where it had to be read; where the list told enough, it is as listed. */
  readonly integration: Account;
  /**
   * The first that applies: `auth_failed`: the service tells of a failed authorization. `reconnect_required`: the token's
   * status asks for connecting the account again. `expires_soon`: the access token expires within the given days, or has
   * expired, and does not refresh by itself. `insights_unreadable`: an Instagram account whose insights can't be read.
   */
  readonly reason: AttentionReason;
  /** When the access token expires, an ISO 8601 date-time, where that was read. */
  readonly expiresAt?: string;
}

/** Which accounts to look at, and how far ahead. */
export interface NeedingAttentionOptions extends RequestOptions {
  /** How many days ahead an expiry counts as soon, a number of 0 or more. Default 7. */
  readonly withinDays?: number | undefined;
}

/** What is read of an integration. */
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
const ownOptions: ReadonlySet<string> = new Set<keyof NeedingAttentionOptions>(['withinDays']);

/** Yields the accounts that need a person, in the order of the list (see `IntegrationsResource.needingAttention`). */
export async function* needingAttention<Listed extends AccountHealth, Detail extends Listed>(
  now: () => number,
  list: (options: RequestOptions) => AsyncIterable<Listed>,
  get: (id: string, options: RequestOptions) => Promise<Detail>,
  options: NeedingAttentionOptions,
): AsyncGenerator<NeedsAttention<Listed | Detail>, void, undefined> {
  const { withinDays = defaultWithinDays, ...requestOptions } = options;
  const issues = misspeltNames(requestOptions, ownOptions);
  if (typeof withinDays !== 'number' || !(withinDays >= 0))
    issues.push({ path: ['withinDays'], message: 'must be a number of days, 0 or more' });
  if (issues.length > 0) throw new InvalidRequestError(issues);
  for await (const listed of list(requestOptions)) {
    if (isAuthFailed(listed)) {
      yield { integration: listed, reason: 'auth_failed' };
      continue;
    }
    // Only the read of a single integration tells of its token.
    const integration = await readOrGone(get, listed.id, requestOptions);
    if (integration === undefined) continue;
    const reason = reasonFor(integration, now() + withinDays * dayMs);
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

function reasonFor(account: AccountHealth, soon: number): AttentionReason | undefined {
  const { platform, tokenStatus, accessTokenExpiresAt, insightsReadable } = account;
  if (isAuthFailed(account)) return 'auth_failed';
  if (tokenStatus?.reconnectRequired === true) return 'reconnect_required';
  if (tokenStatus?.autoRefreshes !== true && (instantOf(accessTokenExpiresAt) ?? Infinity) <= soon)
    return 'expires_soon';
  return platform === 'instagram' && insightsReadable === false ? 'insights_unreadable' : undefined;
}
