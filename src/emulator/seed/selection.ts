import { integrationDetailSchema, type IntegrationDetail } from '../../resources/integrations.js';
import type { Service } from '../handlers/handler.js';
import { checked } from './checks.js';

/** An account to choose: its fields become the fields of the integration. */
export type SelectableAccountSeed = Partial<Omit<IntegrationDetail, 'id'>> & {
  /** The ID for `selectedAccountIds`. */
  readonly id: string;
};

/** Accounts to choose from, as a user sees them after signing in at the platform. */
export interface SelectionSeed {
  /** The platform. */
  readonly platform: 'facebook' | 'instagram';
  /** The accounts to choose from. */
  readonly accounts: readonly SelectableAccountSeed[];
  /** Default: a new token that is long enough for both platforms. */
  readonly token?: string | undefined;
  /** The page to which the reply redirects the browser. */
  readonly redirectUri?: string | undefined;
}

/** The result of seeding a selection. */
export interface SeededSelection {
  /** The one-time selection token. */
  token: string;
}

const tokenDigits = 40;
const selectionPlatforms: readonly string[] = ['facebook', 'instagram'] satisfies SelectionSeed['platform'][];

export function seedSelection({ store }: Service, fields: SelectionSeed): SeededSelection {
  const { platform, accounts, token = `sel_${store.hex(tokenDigits)}` } = fields;
  const { redirectUri = 'https://app.example/connected' } = fields;
  if (!selectionPlatforms.includes(platform))
    throw new TypeError(`seed.selection: platform must be one of ${selectionPlatforms.join(', ')}.`);
  const wrongLength = platform === 'instagram' && (token.length < 20 || token.length > 100);
  if (token === '' || wrongLength)
    throw new TypeError('seed.selection: a Facebook token has at least 1 character, an Instagram token 20 to 100.');
  for (const account of accounts) {
    checked('selection', integrationDetailSchema(), account);
    if ((account.platform ?? platform) !== platform)
      throw new TypeError(`seed.selection: the accounts must be on ${platform}, like the selection.`);
  }
  store.state.selections.set(token, { platform, accounts: structuredClone(accounts), redirectUri, used: false });
  return { token };
}
