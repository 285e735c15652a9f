/** IDs where the name of the client's method says too little without its namespace. */
const ids: Readonly<Record<string, string>> = {
  'posts.updateScheduled': 'updateScheduledPost',
  'automations.listLogs': 'listAutomationLogs',
  'analytics.getPost': 'getPostAnalytics',
  // One operation with `getPost`, told apart by its query alone.
  'analytics.listPosts': 'getPostAnalytics',
};

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The ID of an operation, such as `createPost`: an identifier in any language that code is made for. */
export function operationId(resource: string, method: string): string {
  const known = ids[`${resource}.${method}`];
  if (known !== undefined) return known;
  // Methods of several words name what they are about themselves.
  if (/[A-Z]/.test(method)) return method;
  return method + capital(method === 'list' ? resource : resource.replace(/s$/, ''));
}
