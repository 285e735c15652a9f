import { computed } from '@preact/signals';
import type { Integration } from 'social-publishing';
import { background } from '../world/session.js';
import { remote } from './remote.js';

/** All connected accounts. */
export const accounts = remote<readonly Integration[]>(
  () => background().integrations.list({ limit: 100 }).toArray(),
  ['account'],
);

/** Only Instagram has messages, automations and insights. */
export const instagramAccounts = computed(() =>
  (accounts.value.value ?? []).filter(({ platform }) => platform === 'instagram'),
);

const byId = computed(() => new Map((accounts.value.value ?? []).map((account) => [account.id, account])));

export function accountName(id: string | undefined): string {
  const account = byId.value.get(id ?? '');
  if (account === undefined) return id ?? '';
  return nameOf(account);
}

export function nameOf({ username, displayName, id }: Integration): string {
  return username === undefined ? (displayName ?? id) : `@${username}`;
}
