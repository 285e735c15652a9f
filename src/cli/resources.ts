/** The resources of the client, for the first page of help: it starts without the schemas. A test compares the names. */
export const resources: readonly { readonly name: string; readonly summary: string }[] = [
  { name: 'posts', summary: 'create, list and edit posts' },
  { name: 'comments', summary: 'read comments on posts' },
  { name: 'messages', summary: 'read and send direct messages of Instagram accounts' },
  { name: 'automations', summary: 'comment automations and their logs' },
  { name: 'analytics', summary: 'numbers of posts and accounts; calls cost credits' },
  { name: 'notifications', summary: 'subscribe to events of posts' },
  { name: 'integrations', summary: 'connected accounts' },
  { name: 'apps', summary: 'your own OAuth apps' },
];
