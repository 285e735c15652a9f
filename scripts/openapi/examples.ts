/** A request and a reply of each operation, from the emulator, and its code, from the examples that tests run. */
import { readFileSync } from 'node:fs';
import { SocialPublishing } from '../../src/index.js';
import { createEmulator } from '../../src/emulator/index.js';

export interface OperationExample {
  /** The JSON body of the request. Missing: it has none. */
  readonly request?: unknown;
  readonly reply: unknown;
  /** TypeScript that calls the operation. */
  readonly code: string;
}

type Examples = ReadonlyMap<string, OperationExample>;

/** The examples of all operations by their names, such as `posts.create`. They are the same in each run. */
export async function readExamples(): Promise<Examples> {
  const calls = callsOn(createEmulator({ accessKey: 'test-key', now: () => Date.parse('2027-03-01T09:00:00Z') }));
  const codes = readCodes();
  const examples = new Map<string, OperationExample>();
  for (const [name, call] of Object.entries(calls)) {
    const code = codes.get(name);
    if (code === undefined) throw new Error(`maintenance/site/operation-examples.md has no example of ${name}.`);
    examples.set(name, { ...(await call()), code });
  }
  return examples;
}

function readCodes(): ReadonlyMap<string, string> {
  const sections = readFileSync('maintenance/site/operation-examples.md', 'utf8').matchAll(
    /^## (\S+)\n\n```ts\n([\s\S]*?)^```$/gm,
  );
  return new Map([...sections].map(([, name = '', code = '']) => [name, code]));
}

/** One call of each operation, in an order in which each finds what it reads. */
function callsOn(service: ReturnType<typeof createEmulator>) {
  const { seed } = service;
  let last: { request?: unknown; reply: unknown } = { reply: undefined };
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const body = await request.clone().text();
    const response = await service.fetch(request);
    const reply = shown(await response.clone().json());
    last = body === '' ? { reply } : { request: shown(JSON.parse(body)), reply };
    return response;
  };
  const client = new SocialPublishing({ baseUrl: 'https://api.example.com', accessKey: 'test-key', fetch });
  const example = (call: () => PromiseLike<unknown>) => async () => {
    await call();
    return last;
  };

  const accountId = seed.integration({ platform: 'instagram', username: 'acme', displayName: 'Acme' }).id;
  const platforms = [{ platform: 'instagram' as const, accountId }];
  const { postId } = seed.post({ content: 'Good morning', status: 'published', platforms });
  const platformPostId = service.posts[0]?.platforms?.[0]?.platformPostId ?? '';
  seed.metrics({ postId, metrics: { likes: 7, impressions: 120 } });
  seed.metrics({ accountId, metrics: { reach: 120, views: 300 } });
  seed.comment({ accountId, postId: platformPostId, text: 'Which colours are there?' });
  seed.eligiblePost({ accountId, caption: 'Hello' });
  const conversation = seed.conversation({ accountId });
  seed.message({ accountId, conversationId: conversation.id, text: 'Is it in stock?' });
  const recipientId = conversation.participants?.[0]?.id ?? '';
  const at = { platform: 'instagram', accountId } as const;
  const automation = seed.automation({ accountId, name: 'Sizes' });
  seed.automationLog({ automationId: automation.id, commentText: 'size?' });
  const selection = (platform: 'facebook' | 'instagram') =>
    seed.selection({ platform, accounts: [{ id: `${platform}_page_1`, username: 'acme' }] }).token;
  const scheduledFor = '2027-03-26T09:00:00Z';
  let scheduledId = '';
  return {
    'posts.create': example(async () => {
      ({ postId: scheduledId } = await client.posts.create({ content: 'Very soon', platforms, scheduledFor }));
    }),
    'posts.list': example(() => client.posts.list({ status: 'published' })),
    'posts.updateScheduled': example(() =>
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the document has it
      client.posts.updateScheduled(scheduledId, { content: 'Very soon!', platforms }),
    ),
    'comments.list': example(() => client.comments.list({ ...at, postId: platformPostId })),
    'messages.listConversations': example(() => client.messages.listConversations(at)),
    'messages.list': example(() => client.messages.list(conversation.id, at)),
    'messages.send': example(() => client.messages.send({ ...at, recipientId, text: 'Yes, it is.' })),
    'automations.create': example(() =>
      client.automations.create({
        accountId,
        name: 'Prices',
        postScope: 'any',
        keywords: ['price'],
        publicReplies: ['We sent you a message.'],
        dmMessage: 'It is 12 euros.',
      }),
    ),
    'automations.list': example(() => client.automations.list({ accountId })),
    'automations.listEligiblePosts': example(() => client.automations.listEligiblePosts({ accountId })),
    'automations.listLogs': example(() => client.automations.listLogs(automation.id)),
    'analytics.getPost': example(() => client.analytics.getPost(postId)),
    'analytics.listPosts': example(() => client.analytics.listPosts()),
    'analytics.getInstagramInsights': example(() => client.analytics.getInstagramInsights({ accountId })),
    'notifications.create': example(() =>
      client.notifications.create({
        channel: 'webhook',
        eventTypes: ['post.published', 'post.partial', 'post.failed'],
        webhook: { url: 'https://app.example.com/webhooks' },
      }),
    ),
    'integrations.list': example(() => client.integrations.list()),
    'integrations.get': example(() => client.integrations.get(accountId)),
    'integrations.update': example(() => client.integrations.update(accountId, { profileId: 'profile_1' })),
    'integrations.selectFacebookPages': example(() =>
      client.integrations.selectFacebookPages(selection('facebook'), { selectedAccountIds: ['facebook_page_1'] }),
    ),
    'integrations.selectInstagramAccounts': example(() =>
      client.integrations.selectInstagramAccounts(selection('instagram'), { selectedAccountIds: ['instagram_page_1'] }),
    ),
    'apps.create': example(() =>
      client.apps.create({ platform: 'twitter', name: 'Acme', clientId: 'client_1', clientSecret: 'secret' }),
    ),
  };
}

/** Hides secrets, which are random. */
function shown(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, inner: unknown) =>
    /^(secret|clientSecret)$/.test(name) ? '<SECRET>' : inner,
  );
}
