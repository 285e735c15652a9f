import type { IntegrationDetail } from '../../resources/integrations.js';
import type { Service } from '../handlers/handler.js';
import type { Store } from '../service/store.js';

export function integrationOf({ state }: Store, what: string, accountId: string): IntegrationDetail {
  const integration = state.integrations.get(accountId);
  if (integration === undefined)
    throw new TypeError(`seed.${what}: accountId does not match an integration. Seed the integration first.`);
  return integration;
}

/** Returns the integration of a seed, if its platform supports the seeded kind. */
export function integrationOn(
  store: Store,
  what: string,
  accountId: string,
  platforms: readonly (string | undefined)[],
): IntegrationDetail {
  const integration = integrationOf(store, what, accountId);
  if (!platforms.includes(integration.platform)) {
    throw new TypeError(`seed.${what}: accountId must be an integration on ${platforms.join(', ')}.`);
  }
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
