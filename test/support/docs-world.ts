/** The variables that the code blocks of the documents expect: a client, a few accounts, a delivery. */
import { createServer } from 'node:http';
import { SocialPublishing, type CreatePostBody } from 'social-publishing';
import { createEmulator } from 'social-publishing/emulator';
import { createPublisher, MemoryDurableStore } from 'social-publishing/publisher';
import { createWebhookReceiver, signWebhook } from 'social-publishing/webhooks';

export const accessKey = 'your-access-key';
export const service = createEmulator({ accessKey });
export const client = new SocialPublishing({
  baseUrl: 'https://api.example.com',
  accessKey,
  fetch: (input, init) => {
    // The API document names the read of one post without showing it, so that the emulator does not have it.
    const single = /\/v1\/posts\/(post_\w+)$/.exec(input instanceof Request ? input.url : String(input));
    return single === null
      ? service.fetch(input, init)
      : Promise.resolve(Response.json({ success: true, post: { postId: single[1] } }));
  },
});

export const instagramId = service.seed.integration({ platform: 'instagram', username: 'acme' }).id;
export const tiktokId = service.seed.integration({ platform: 'tiktok', username: 'acme' }).id;
service.seed.integration({ platform: 'bluesky', username: 'acme' });
service.publishing.outcome({ platform: 'tiktok', error: 'media rejected' });
const published = await client.posts.create({
  content: 'Published before',
  publishNow: true,
  platforms: [
    { platform: 'instagram', accountId: instagramId },
    { platform: 'tiktok', accountId: tiktokId },
  ],
});
export const postId = published.postId;
export const platformPostId = service.posts[0]?.platforms?.[0]?.platformPostId ?? '';
service.seed.comment({ accountId: instagramId, postId: platformPostId, text: 'nice', replies: [{ text: 'thanks' }] });
const conversation = service.seed.conversation({ accountId: instagramId });
service.seed.message({ accountId: instagramId, conversationId: conversation.id, text: 'hi' });
service.seed.metrics({ accountId: instagramId, metrics: { reach: 120 } });

service.seed.automationLog({
  automationId: service.seed.automation({ accountId: instagramId, name: 'Sizes' }).id,
  commentText: 'size?',
});
service.seed.eligiblePost({ accountId: instagramId, caption: 'Which colour?' });
service.seed.integration({ platform: 'threads', username: 'acme', authStatus: 'expired' });
/** One-time tokens, as a callback of the connect flow would bring them. */
export const facebookToken = service.seed.selection({
  platform: 'facebook',
  accounts: [{ id: 'page_1', username: 'acme' }],
}).token;
export const instagramToken = service.seed.selection({
  platform: 'instagram',
  accounts: [{ id: 'account_1', username: 'acme.shop' }],
}).token;

export const announcement: CreatePostBody = {
  content: 'We are live',
  scheduledFor: '2030-01-01T09:00:00Z',
  platforms: [{ platform: 'instagram', accountId: instagramId }],
};
export const bodies: CreatePostBody[] = ['one', 'two', 'three'].map((content) => ({ ...announcement, content }));
export const publisher = createPublisher({ client, store: new MemoryDurableStore() });
export const campaign = [
  { key: 'campaign-43/de', body: announcement },
  { key: 'campaign-43/fr', body: announcement },
];

export const secret = 'whs_documents';
export const body = JSON.stringify({
  id: 'evt_1',
  type: 'post.published',
  createdAt: new Date().toISOString(),
  data: {
    post: { id: postId, status: 'published' },
    platforms: [{ platform: 'instagram', integrationId: instagramId }],
  },
});
export const headers = await signWebhook({ body, secret });
/** A delivery as a framework would hand it over. */
const delivery = () => new Request('https://hooks.example.com/webhooks', { method: 'POST', body, headers });
export const request = delivery();
export const receiver = createWebhookReceiver({ secret, on: {} });
/** A server that listens nowhere. */
export const server = createServer();
/** A Redis client as a function that sends one command. Its replies are those of an empty Redis. */
export const redis = (_command: string, ..._args: string[]): Promise<unknown> => Promise.resolve(null);

type Serve = (request: Request) => Promise<Response>;

/** Replaces the servers of other runtimes: it passes a signed delivery to the handler, and expects a success. */
async function deliverTo(serve: Serve): Promise<void> {
  const response = await serve(delivery());
  if (response.status !== 200) throw new Error(`the receiver answered ${response.status}`);
}
export const Bun = { serve: (options: { port: number; fetch: Serve }) => void deliverTo(options.fetch) };
export const Deno = { serve: (_options: { port: number }, serve: Serve) => void deliverTo(serve) };
