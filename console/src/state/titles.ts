import type { ViewName } from './route.js';

/** The title of each view. */
export const titles: Readonly<Record<ViewName, string>> = {
  calendar: 'Calendar',
  posts: 'Posts',
  accounts: 'Accounts',
  comments: 'Comments',
  messages: 'Messages',
  automations: 'Automations',
  analytics: 'Analytics',
  webhooks: 'Webhooks',
  requests: 'Requests',
  faults: 'Faults',
  durable: 'Durable',
};
