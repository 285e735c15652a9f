import type { IntegrationDetail } from '../../resources/integrations.js';
import { ErrorReply } from './error-reply.js';
import type { Store } from '../service/store.js';

export function account(store: Store, accountId: string, platform?: string): IntegrationDetail {
  const integration = store.state.integrations.get(accountId);
  if (integration === undefined) throw new ErrorReply(404, 'accountId: the integration does not exist.');
  if (platform !== undefined && integration.platform !== platform) {
    throw new ErrorReply(400, `accountId: the integration is not one of ${platform}.`);
  }
  return integration;
}
