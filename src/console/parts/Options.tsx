import { knownPlatforms, type Integration } from 'social-publishing';
import { nameOf } from '../state/accounts.js';
import { platformName } from './Badges.js';

/** Every platform, to choose from. */
export function PlatformOptions({ prefix = '' }: { readonly prefix?: string }) {
  return (
    <>
      {knownPlatforms.map((platform) => (
        <option key={platform} value={prefix + platform}>
          {platformName(platform)}
        </option>
      ))}
    </>
  );
}

/** Accounts to choose from. */
export function AccountOptions({
  accounts,
  prefix = '',
}: {
  readonly accounts: readonly Integration[];
  readonly prefix?: string;
}) {
  return (
    <>
      {accounts.map((account) => (
        <option key={account.id} value={prefix + account.id}>
          {platformName(account.platform)} {nameOf(account)}
        </option>
      ))}
    </>
  );
}
