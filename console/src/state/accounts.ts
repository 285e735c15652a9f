import { computed } from '@preact/signals';
import type { Integration } from 'social-publishing';
import { background } from '../world/session.js';
import { platformName } from './platform-names.js';
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

/** Returns the platform and the name: accounts of several platforms may have the same name. */
export const titleOf = (account: Integration): string => `${platformName(account.platform)} ${nameOf(account)}`;

export function accountTitle(id: string | undefined): string {
  const account = byId.value.get(id ?? '');
  return account === undefined ? (id ?? '') : titleOf(account);
}

/** Whether an account can publish. */
export const isConnected = ({ authStatus }: Integration): boolean =>
  authStatus === undefined || authStatus === 'active';
