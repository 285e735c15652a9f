/** IDs for methods whose names are unclear without their namespace. */
const ids: Readonly<Record<string, string>> = {
  'posts.updateScheduled': 'updateScheduledPost',
  'automations.listLogs': 'listAutomationLogs',
  'analytics.getPost': 'getPostAnalytics',
  // One operation with `getPost`; only the query distinguishes them.
  'analytics.listPosts': 'getPostAnalytics',
};

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the ID of an operation, such as `createPost`: an identifier in any language. */
export function operationId(resource: string, method: string): string {
  const known = ids[`${resource}.${method}`];
  if (known !== undefined) return known;
  // Method names of several words already name their subject.
  if (/[A-Z]/.test(method)) return method;
  return method + capital(method === 'list' ? resource : resource.replace(/s$/, ''));
}
