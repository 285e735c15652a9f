import type { Endpoint } from '../core/call/endpoint.js';
import { analyticsEndpoints } from './analytics.js';
import { appEndpoints } from './apps.js';
import { automationEndpoints } from './automations.js';
import { commentEndpoints } from './comments.js';
import { integrationEndpoints } from './integrations.js';
import { messageEndpoints } from './messages.js';
import { notificationEndpoints } from './notifications.js';
import { postEndpoints } from '../posts/posts.js';

/** The endpoints of the eight resources, each under the name of the client's namespace. */
export const endpoints = {
  posts: postEndpoints,
  comments: commentEndpoints,
  messages: messageEndpoints,
  automations: automationEndpoints,
  analytics: analyticsEndpoints,
  notifications: notificationEndpoints,
  integrations: integrationEndpoints,
  apps: appEndpoints,
};

export function allEndpoints(): Endpoint[] {
  return Object.values(endpoints).flatMap((group) => Object.values<Endpoint>(group));
}
