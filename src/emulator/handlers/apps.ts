import type { appEndpoints } from '../../resources/apps.js';
import { ErrorReply } from './error-reply.js';
import type { Handlers } from './handler.js';
import { timestamp } from '../service/time.js';

export const appHandlers: Handlers<typeof appEndpoints> = {
  create({ store, clock }, { body }) {
    const { platform, name, clientId, clientSecret } = body;
    if (platform === undefined || !name || !clientId || !clientSecret) {
      throw new ErrorReply(400, 'An app needs platform, name, clientId and clientSecret.');
    }
    const now = timestamp(clock.now());
    // The secret is not kept: nothing in the emulator uses it, and nothing should be able to show it.
    const app = { id: store.id('app'), platform, name, clientId, integrationCount: 0, createdAt: now, updatedAt: now };
    store.state.apps.set(app.id, app);
    return { success: true, app };
  },
};
