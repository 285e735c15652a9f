import { knownPlatforms, type Integration } from 'social-publishing';
import { titleOf } from '../state/accounts.js';
import { platformName } from '../state/platform-names.js';

/** Options for every platform. */
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

/** Options for accounts. */
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
          {titleOf(account)}
        </option>
      ))}
    </>
  );
}
