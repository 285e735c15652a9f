import type { Integration, IntegrationDetail } from '../resources/integrations.js';
import { isFields } from '../core/json.js';
import { reads, type ToolContext } from './tool.js';
import { offsetOf, offsetPart, shownPart, sizeOf, defined, listResult, UnknownAccount, type Data } from './results.js';
import type { ToolDefinition } from './define-tool.js';
import { listFields, namesNote, onePlatform, shownTime } from './fields.js';
import { isErrorNamed } from '../core/errors.js';
import { attentionReason } from '../resources/needing-attention.js';

type Allowed = Pick<ToolContext, 'accounts'>;

/** Whether the tools see and use this account. */
export function isAllowed({ accounts }: Allowed, accountId: string): boolean {
  return accounts?.has(accountId) ?? true;
}

/** @throws InvalidRequestError the tools must not use this account */
export function checkAllowed(context: Allowed, accountId: string | undefined, field = 'accountId'): void {
  if (accountId !== undefined && !isAllowed(context, accountId)) throw new UnknownAccount(accountId, field);
}

/** Whether the tools show the post of this request: it has only accounts that they see. A draft may have none. */
export function isVisible(context: Allowed, request: unknown): boolean {
  if (context.accounts === undefined) return true;
  if (!isFields(request)) return false;
  const { platforms, saveAsDraft } = request;
  const targets: unknown = platforms ?? [];
  if (!Array.isArray(targets)) return false;
  if (targets.length === 0) return saveAsDraft === true;
  return targets.every((target: unknown) => isFields(target) && isAllowed(context, String(target['accountId'])));
}

const listAccountsFields = () => ({
  platform: onePlatform('Only accounts of this platform. Default: all.'),
  ...listFields(),
});

export function listAccounts(context: ToolContext): ToolDefinition<ReturnType<typeof listAccountsFields>> {
  const { integrations } = context.client;
  return {
    name: 'list_accounts',
    title: 'List accounts',
    description:
      `Use it to find the IDs of connected accounts, with platform, user name and health; ${namesNote}. ` +
      'Not to check tokens: accounts_needing_attention does.',
    annotations: reads,
    fields: listAccountsFields(),
    prepare: async ({ platform, ...input }, signal) => {
      const list = (page: { limit: number; offset: number }) => integrations.list({ platform, ...page }, { signal });
      const part =
        context.accounts === undefined
          ? await offsetPart(input, list)
          : await shownPart(input, list, ({ id }) => isAllowed(context, id));
      const also = defined({ total: part.total });
      return listResult({ ...part, name: 'accounts', items: part.items.map(accountView), also }, 'accounts');
    },
  };
}

export function accountsNeedingAttention(context: ToolContext): ToolDefinition<ReturnType<typeof listFields>> {
  const { client, timeZone } = context;
  return {
    name: 'accounts_needing_attention',
    title: 'Accounts that need attention',
    description:
      'Use it before you publish, to find accounts to connect again (auth_failed, reconnect_required, expires_soon: within 7 ' +
      `days, insights_unreadable); ${namesNote}. Not to list all accounts: it reads each account.`,
    annotations: reads,
    fields: listFields(),
    prepare: async (input, signal) => {
      const offset = offsetOf(input);
      const size = sizeOf(input);
      const found: Data[] = [];
      let seen = 0;
      for await (const { integration, reason, expiresAt } of client.integrations.needingAttention({ signal })) {
        if (!isAllowed(context, integration.id)) continue;
        seen += 1;
        if (seen <= offset) continue;
        if (found.length === size) break;
        const { id, platform } = integration;
        const expires = shownTime(expiresAt, timeZone);
        found.push(defined({ accountId: id, platform, ...accountNames(integration), reason, expiresAt: expires }));
      }
      const hasMore = seen > offset + found.length;
      const cursorAfter = (count: number) => (count < found.length || hasMore ? String(offset + count) : undefined);
      return listResult({ name: 'accounts', items: found, cursorAfter }, 'accounts');
    },
  };
}

/** The allowed characters of user names. Other text could be a sentence for the model. */
const handle = /^@?[\w.-]{1,64}$/;

/** The names of an account. A user name is one word. All other texts of the account's owner are untrusted. */
export function accountNames({ username, displayName }: Pick<Integration, 'username' | 'displayName'>): Data {
  const isHandle = username !== undefined && handle.test(username);
  const free = defined({ username: isHandle ? undefined : username, displayName });
  return { ...(isHandle ? { username } : {}), ...(Object.keys(free).length === 0 ? {} : { untrustedText: free }) };
}

/** Names an account for a question. Accounts can share a user name, so the ID is always shown. */
export function accountLabel({ id, platform = 'unknown platform', username }: Integration): string {
  return username !== undefined && handle.test(username) ? `${username} (${platform}, ${id})` : `${id} (${platform})`;
}

/** Names the targets of a post for a question. An account that was deleted has no name. */
export async function targetLabels(
  { integrations }: ToolContext['client'],
  targets: readonly { readonly platform: string; readonly accountId: string }[],
  signal: AbortSignal | undefined,
): Promise<string> {
  const labels: string[] = [];
  for (const { platform, accountId } of targets) {
    try {
      labels.push(accountLabel(await integrations.get(accountId, { signal })));
    } catch (error) {
      if (!isErrorNamed(error, 'NotFoundError')) throw error;
      labels.push(`${accountId} (${platform})`);
    }
  }
  return labels.join(', ');
}

/** An account with its health, as far as the integration shows it. */
export function accountView(account: Integration | IntegrationDetail): Data {
  const { id, platform, profileId, authStatus, authFailureReason } = account;
  return defined({
    accountId: id,
    platform,
    ...accountNames(account),
    health: attentionReason(account, -Infinity) ?? 'ok',
    authStatus,
    authFailureReason,
    profileId,
  });
}
