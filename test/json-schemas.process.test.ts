/** The JSON Schemas of dist/schemas, judged by a validator that knows nothing of this package. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../scripts/openapi/operations.js';
import { writeJsonSchemas } from '../scripts/openapi/json-schemas.js';
import { responseOf } from '../src/core/call/response.js';
import { knownEventTypes } from '../src/model/events.js';
import * as schemas from '../src/schemas.js';
import { world, type World } from './emulator/world.js';

const names = new Map<unknown, string>(
  Object.entries(schemas).map(([name, schema]) => [schema, name.replace(/Schema$/, '')]),
);
const written = writeJsonSchemas();
// `x-undocumented` is a note.
const ajv = new Ajv2020({ strict: true, keywords: ['x-undocumented'], strictTypes: false, allErrors: true });
ajvFormats.default(ajv);

function problems(name: string, value: unknown): string[] {
  const schema = written.get(name);
  if (schema === undefined) return [`no schema ${name}`];
  const validate = ajv.compile(schema);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${String(message)}`);
}

/** Calls every operation, and returns each reply's object. */
async function callAll({ service, client, instagram, facebook }: World): Promise<object[]> {
  const account = { platform: 'instagram', accountId: instagram } as const;
  const conversation = service.seed.conversation({ accountId: instagram });
  service.seed.message({ accountId: instagram, conversationId: conversation.id, text: 'hi' });
  service.seed.metrics({ accountId: instagram, metrics: { reach: 120 } });
  service.seed.eligiblePost({ accountId: instagram, caption: 'Hello' });
  const facebookPages = service.seed.selection({ platform: 'facebook', accounts: [{ id: 'page_1' }] });
  const instagramAccounts = service.seed.selection({ platform: 'instagram', accounts: [{ id: 'account_1' }] });
  const subscription = await client.notifications.create({
    channel: 'webhook',
    eventTypes: knownEventTypes,
    webhook: { url: 'https://hooks.example.com/' },
  });
  const published = await client.posts.create({ content: 'Now', publishNow: true, platforms: [account] });
  const scheduledFor = new Date(service.clock.now() + 3_600_000);
  const scheduled = await client.posts.create({ content: 'Later', scheduledFor, platforms: [account] });
  const platformPostId = service.posts.flatMap(({ platforms = [] }) => platforms)[0]?.platformPostId ?? '';
  service.seed.comment({ accountId: instagram, postId: platformPostId, text: 'nice', replies: [{ text: 'thanks' }] });
  const automation = await client.automations.create({ accountId: instagram, name: 'Prices', keywords: ['price'] });
  service.seed.automationLog({ automationId: automation.id, commentText: 'price?' });
  return [
    subscription,
    published,
    scheduled,
    automation,
    await client.posts.list(),
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- it is an operation like the others
    await client.posts.updateScheduled(scheduled.postId, { content: 'Later still', platforms: [account] }),
    await client.comments.list({ ...account, postId: platformPostId }),
    await client.messages.listConversations(account),
    await client.messages.list(conversation.id, account),
    await client.messages.send({ ...account, recipientId: 'user_1', text: 'hello' }),
    await client.automations.list(),
    await client.automations.listEligiblePosts({ accountId: instagram }),
    await client.automations.listLogs(automation.id),
    await client.analytics.getPost(published.postId),
    await client.analytics.listPosts(),
    await client.analytics.getInstagramInsights({ accountId: instagram, metrics: ['reach'] }),
    await client.integrations.list(),
    await client.integrations.get(facebook),
    await client.integrations.update(facebook, { profileId: 'profile_1' }),
    await client.integrations.selectFacebookPages(facebookPages.token, { selectedAccountIds: ['page_1'] }),
    await client.integrations.selectInstagramAccounts(instagramAccounts.token, { selectedAccountIds: ['account_1'] }),
    await client.apps.create({ platform: 'linkedin', name: 'Acme', clientId: 'id', clientSecret: 'secret' }),
  ];
}

/** The operation that a request is of, also of two that share a route. */
function operationOf(route: string | undefined, query: Readonly<Record<string, unknown>>) {
  return operations.find(({ endpoint: { route: own, selectedBy } }) => {
    if (own !== route) return false;
    return selectedBy === undefined || selectedBy.query in query === selectedBy.present;
  });
}

describe('the JSON Schemas', () => {
  let everything: World;
  let replies: object[];

  beforeAll(async () => {
    everything = world();
    replies = await callAll(everything);
    everything.service.publishing.outcome({ platform: 'instagram', warning: 'cropped', times: 1 });
    await everything.service.clock.advance({ hours: 2 });
    everything.service.publishing.outcome({ platform: 'instagram', error: 'rejected', times: 1 });
    const account = { platform: 'instagram', accountId: everything.instagram } as const;
    await everything.client.posts.create({ content: 'Fails', publishNow: true, platforms: [account] });
    await everything.service.settled();
  });

  it.each([...written.keys()])('%s is a schema of draft 2020-12', (name) => {
    expect(written.get(name)).toHaveProperty('$schema', 'https://json-schema.org/draft/2020-12/schema');
    expect(() => ajv.compile(written.get(name) ?? false)).not.toThrow();
  });

  it('every operation is called here', () => {
    const called = everything.service.requests.map(({ route, query }) => operationOf(route, query)?.endpoint.route);
    expect(new Set(called)).toEqual(new Set(operations.map(({ endpoint }) => endpoint.route)));
  });

  it("hold the emulator's replies", () => {
    const { requests } = everything.service;
    const found = replies.flatMap((reply) => {
      const response = responseOf(reply);
      const sent = requests.find(({ url }) => url === response?.url);
      // Routes with two methods are distinguished by their request.
      const candidates = requests.filter(({ url }) => url === sent?.url);
      const names_ = candidates.map(({ route, query }) => operationOf(route, query)?.endpoint.response());
      const fits = names_.map((schema) => problems(names.get(schema) ?? '', response?.body));
      return fits.some((list) => list.length === 0) ? [] : [`${String(sent?.route)}: ${fits.flat().join('; ')}`];
    });
    expect(found).toEqual([]);
  });

  it('hold the bodies that the client sends', () => {
    const found = everything.service.requests.flatMap(({ route, query, body }) => {
      const schema = operationOf(route, query)?.endpoint.body?.();
      return schema === undefined
        ? []
        : problems(names.get(schema) ?? '', body).map((text) => `${String(route)}: ${text}`);
    });
    expect(found).toEqual([]);
  });

  it.each(knownEventTypes)('hold an event of the type %s, and the schema of that type no other', (type) => {
    const events = everything.service.deliveries.map(({ body }) => JSON.parse(body) as { readonly type: string });
    const own = events.find((event) => event.type === type);
    const other = events.find((event) => event.type !== type);
    expect(own).toBeDefined();
    expect(problems('WebhookEvent', own)).toEqual([]);
    expect(problems(type, own)).toEqual([]);
    expect(problems(type, other)).not.toEqual([]);
  });

  it.each([
    ['Post', { content: 'no ID' }],
    ['ListPostsResponse', { posts: [{ postId: 1 }] }],
    ['CreatePostBody', { content: 'x', publishNow: true, platforms: [{ platform: 'myspace', accountId: 'a' }] }],
    ['post.failed', { type: 'post.failed', data: {} }],
  ])('refuse a bad %s', (name, value) => {
    expect(problems(name, value)).not.toEqual([]);
  });
});
