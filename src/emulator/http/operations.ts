import type { Endpoint } from '../../core/endpoint.js';
import { analyticsEndpoints } from '../../resources/analytics.js';
import { appEndpoints } from '../../resources/apps.js';
import { automationEndpoints } from '../../resources/automations.js';
import { commentEndpoints } from '../../resources/comments.js';
import { integrationEndpoints } from '../../resources/integrations.js';
import { messageEndpoints } from '../../resources/messages.js';
import { notificationEndpoints } from '../../resources/notifications.js';
import { postEndpoints } from '../../resources/posts.js';
import { analyticsHandlers } from '../handlers/analytics.js';
import { appHandlers } from '../handlers/apps.js';
import { automationHandlers } from '../handlers/automations.js';
import { commentHandlers } from '../handlers/comments.js';
import type { Call, Handlers, Service } from '../handlers/handler.js';
import { integrationHandlers } from '../handlers/integrations.js';
import { messageHandlers } from '../handlers/messages.js';
import { notificationHandlers } from '../handlers/notifications.js';
import { postHandlers } from '../handlers/posts.js';
import { compileRoute, type Pattern } from './route.js';

/** An endpoint with its handler. */
export interface Operation {
  readonly endpoint: Endpoint;
  readonly handler: (service: Service, call: Call<unknown, unknown>) => unknown;
  readonly pattern: Pattern;
}

/** Pairs each endpoint of a resource with its handler. */
function pairs<Endpoints extends object>(endpoints: Endpoints, handlers: Handlers<Endpoints>): Operation[] {
  // `Handlers` holds each pair's types together; a list of all operations can only hold what they have in common.
  const entries = Object.entries(endpoints) as [keyof Endpoints, Endpoint][];
  return entries.map(([name, endpoint]) => {
    const handler: unknown = handlers[name];
    return { endpoint, handler: handler as Operation['handler'], pattern: compileRoute(endpoint.route) };
  });
}

export function allOperations(): Operation[] {
  return [
    ...pairs(postEndpoints, postHandlers),
    ...pairs(commentEndpoints, commentHandlers),
    ...pairs(messageEndpoints, messageHandlers),
    ...pairs(automationEndpoints, automationHandlers),
    ...pairs(analyticsEndpoints, analyticsHandlers),
    ...pairs(notificationEndpoints, notificationHandlers),
    ...pairs(integrationEndpoints, integrationHandlers),
    ...pairs(appEndpoints, appHandlers),
  ];
}
