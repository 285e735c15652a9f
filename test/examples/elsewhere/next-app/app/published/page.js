// A page without a setting: it must be rendered at each request, because the client asks for no cached reply.
import { SocialPublishing } from 'social-publishing';

const client = new SocialPublishing({ baseUrl: process.env.SERVICE_URL, accessKey: 'key' });

export default async function Published() {
  const draft = await client.posts.create({ content: 'The same', saveAsDraft: true });
  const posts = await client.posts.list().toArray();
  return `${draft.postId} of ${posts.length} posts.`;
}
