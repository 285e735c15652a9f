import type { appEndpoints } from '../../resources/apps.js';
import type { Integration } from '../../resources/integrations.js';
import type { Store } from '../state/store.js';
import { timestamp } from '../state/time.js';
import { ErrorReply, type Handlers } from './handler.js';

export const appHandlers: Handlers<typeof appEndpoints> = {
  create({ store, clock }, { body }) {
    const { platform, name, clientId, clientSecret } = body;
    if (platform === undefined || !name || !clientId || !clientSecret) {
      throw new ErrorReply(400, 'An app needs platform, name, clientId and clientSecret.');
    }
    const now = timestamp(clock.now());
    const id = store.id('app');
    const imageUrl = `https://images.service.invalid/${id}.png`;
    // From now on, integrations that were seeded with its ID belong to it.
    const { integrations } = store.state;
    const own = [...integrations.values()].filter(({ appId }) => appId === id);
    for (const integration of own) integrations.set(integration.id, { app: { id, name, imageUrl }, ...integration });
    // The secret is not stored: the emulator never uses it, so it cannot leak.
    const times = { createdAt: now, updatedAt: now };
    const app = { id, platform, name, imageUrl, clientId, integrationCount: own.length, ...times };
    store.state.apps.set(id, app);
    return { success: true, app };
  },
};

/** Counts an integration for its app, and no longer for its previous app. Returns the app as lists show it. */
export function countIntegration(
  { state: { apps } }: Store,
  appId: string | undefined,
  before: string | undefined,
): Integration['app'] {
  const change = (id: string | undefined, by: number) => {
    const app = apps.get(id ?? '');
    if (app !== undefined) apps.set(app.id, { ...app, integrationCount: (app.integrationCount ?? 0) + by });
    return app;
  };
  change(before, -1);
  const app = change(appId, 1);
  if (app === undefined) return undefined;
  const { id, name, imageUrl } = app;
  return { id, ...(name === undefined ? {} : { name }), ...(imageUrl === undefined ? {} : { imageUrl }) };
}
