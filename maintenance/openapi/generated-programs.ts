/** The programs that use the generated clients. Each publishes a post, lists it and reads an error, and prints one line. */

export const openapiFetch = `import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const client = createClient<paths>({
  baseUrl: process.env['BASE_URL'] ?? '',
  headers: { 'x-access-key': 'test-key' },
});
const accounts = await client.GET('/v1/connect/integrations', { params: { query: { platform: 'bluesky', limit: 5 } } });
const [account] = accounts.data?.integrations ?? [];
const created = await client.POST('/v1/posts/', {
  body: { content: 'Hello', publishNow: true, platforms: [{ platform: 'bluesky', accountId: account?.id ?? '' }] },
});
const list = await client.GET('/v1/posts/', { params: { query: { status: 'published' } } });
const found = list.data?.posts.some(({ postId }) => postId === created.data?.postId);
const unknown = await client.GET('/v1/connect/integrations/{id}', { params: { path: { id: 'none' } } });
console.log(created.data?.status, found, unknown.response.status, typeof unknown.error?.error);
`;

/** With the functions of @hey-api/openapi-ts. */
export const heyApi = `import { client } from './hey/client.gen';
import { createPost, getIntegration, listIntegrations, listPosts } from './hey/sdk.gen';

client.setConfig({ baseUrl: process.env['BASE_URL'] ?? '', headers: { 'x-access-key': 'test-key' } });
const accounts = await listIntegrations({ query: { platform: 'bluesky', limit: 5 } });
const [account] = accounts.data?.integrations ?? [];
const created = await createPost({
  body: { content: 'Hello', publishNow: true, platforms: [{ platform: 'bluesky', accountId: account?.id ?? '' }] },
});
const list = await listPosts({ query: { status: 'published' } });
const found = list.data?.posts.some(({ postId }) => postId === created.data?.postId);
const unknown = await getIntegration({ path: { id: 'none' } });
console.log(created.data?.status, found, unknown.response?.status, typeof unknown.error?.error);
`;

export const expected = 'published true 404 string';
