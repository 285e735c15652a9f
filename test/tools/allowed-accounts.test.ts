import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/index.js';
import { inMinutes, stringsIn, ToolWorld, withoutField } from './world.js';

/** A world in which the agent may use only the Instagram account. Another program has published elsewhere too. */
async function worldOfOne() {
  const world = new ToolWorld();
  const { instagram, facebook, service } = world;
  const all = world.agent({ mode: 'publish', approve: () => true });
  const create = async (key: string, accountIds: readonly string[]) => {
    const result = await all('create_post', { key, content: `About ${key}`, mode: 'publish', accountIds });
    return String(result.data?.['postId']);
  };
  const own = await create('own', [instagram]);
  const mixed = await create('mixed', [instagram, facebook]);
  const other = await create('other', [facebook]);
  await all('create_post', { key: 'draft', content: 'A draft of nobody' });
  const person = { id: 'p1', name: 'Ada', username: 'ada' };
  service.seed.comment({ accountId: facebook, postId: 'fb_1', text: 'Hidden comment', author: person });
  const agent = world.agent({ mode: 'publish', maxCredits: 10, accounts: [instagram], approve: () => true });
  return { world, agent, own, mixed, other };
}

describe('tools for some accounts', () => {
  it('list only these accounts, and the rest of the list has a cursor', async () => {
    const { world, agent } = await worldOfOne();
    for (let count = 0; count < 45; count += 1) world.service.seed.integration({ platform: 'bluesky' });
    const { data } = await agent('list_accounts');
    expect(data).toEqual({ accounts: [expect.objectContaining({ accountId: world.instagram })] });
    const many = Array.from({ length: 25 }, () => world.service.seed.integration({ platform: 'threads' }).id);
    const wider = world.agent({ accounts: many });
    const first = await wider('list_accounts');
    const second = await wider('list_accounts', { cursor: first.data?.['cursor'] });
    const ids = [first, second].flatMap(({ data: page }) => page?.['accounts'] as { accountId: string }[]);
    expect(new Set(ids.map(({ accountId }) => accountId))).toEqual(new Set(many));
    expect(ids).toHaveLength(25);
    expect(second.data).not.toHaveProperty('cursor');
  });

  it('report only these accounts as those that need attention', async () => {
    const world = new ToolWorld();
    const expired = () => world.service.seed.integration({ platform: 'linkedin', authStatus: 'expired' }).id;
    const [mine] = [expired(), expired()];
    const { data } = await world.agent({ accounts: [mine] })('accounts_needing_attention');
    expect(data).toMatchObject({ accounts: [{ accountId: mine }] });
  });

  it('show a post only if all its accounts are allowed, and drafts without accounts', async () => {
    const { agent, own, mixed, other } = await worldOfOne();
    const { data } = await agent('list_posts');
    const contents = (data?.['posts'] as { content: string }[]).map(({ content }) => content).sort();
    expect(contents).toEqual(['A draft of nobody', 'About own']);
    expect(await agent('get_post', { postId: own })).toMatchObject({ status: 'ok', data: { content: 'About own' } });
    for (const input of [{ postId: mixed }, { postId: other }, { key: 'mixed' }, { key: 'other' }]) {
      for (const tool of ['get_post', 'wait_for_post']) {
        const result = await agent(tool, { ...input, ...(tool === 'wait_for_post' && { seconds: 0 }) });
        expect(result).toMatchObject({ status: 'failed', summary: expect.stringContaining('was not found') as string });
        expect(JSON.stringify(result)).not.toContain('About');
        // The same as for a post that does not exist.
        const none = 'postId' in input ? { postId: 'none' } : { key: 'none' };
        expect(result).toEqual(await agent(tool, { ...none, ...(tool === 'wait_for_post' && { seconds: 0 }) }));
      }
    }
  });

  it('hide a post whose request the service does not list', async () => {
    const { world } = await worldOfOne();
    const agent = withoutField(world, 'rawRequestBody').agent({ accounts: [world.instagram] });
    expect((await agent('list_posts')).data).toMatchObject({ posts: [] });
  });

  it('do not report the progress of a hidden post', async () => {
    const { world, agent } = await worldOfOne();
    const everyone = world.agent({ mode: 'publish' });
    const post = { content: 'Later', mode: 'schedule', scheduledFor: inMinutes(60), accountIds: [world.facebook] };
    const { data } = await everyone('create_post', { key: 'later', ...post });
    const seen: unknown[] = [];
    const onProgress = (progress: unknown) => seen.push(progress);
    const result = await agent('wait_for_post', { postId: data?.['postId'], seconds: 0 }, { onProgress });
    expect([result.status, seen]).toEqual(['failed', []]);
  });

  it('refuse other accounts in every write and every read', async () => {
    const { world, agent } = await worldOfOne();
    const { facebook } = world;
    const before = world.writes.length;
    const post = { content: 'Hello', mode: 'publish', accountIds: [world.instagram, facebook] };
    const calls: [string, object, string][] = [
      ['create_post', { key: 'new', ...post }, 'accountIds'],
      ['preview_post', post, 'accountIds'],
      ['list_comments', { accountId: facebook, postId: 'fb_1' }, 'accountId'],
      ['list_conversations', { accountId: facebook }, 'accountId'],
      ['list_messages', { accountId: facebook, conversationId: 'c' }, 'accountId'],
      ['send_message', { key: 'm', accountId: facebook, recipientId: 'p1', text: 'Hi' }, 'accountId'],
      ['create_automation', { key: 'a', accountId: facebook, name: 'A' }, 'accountId'],
      ['account_insights', { accountId: facebook }, 'accountId'],
      ['post_analytics', { postId: 'x', accountId: facebook }, 'accountId'],
    ];
    for (const [tool, input, field] of calls) {
      const result = await agent(tool, input);
      expect(result, tool).toMatchObject({
        status: 'invalid',
        data: { issues: [{ field }] },
        next: 'Call list_accounts.',
      });
      expect(stringsIn(result).some(({ text }) => text.includes('Hidden comment'))).toBe(false);
    }
    expect(world.writes).toHaveLength(before);
    expect(world.service.creditsUsed).toBe(0);
  });

  it('show analytics only of posts that they show', async () => {
    const { agent, own, mixed } = await worldOfOne();
    expect(await agent('post_analytics', { postId: own })).toMatchObject({ status: 'ok' });
    expect(await agent('post_analytics', { postId: mixed })).toMatchObject({ status: 'invalid' });
    expect(await agent('post_analytics', { postId: 'external_1' })).toMatchObject({ status: 'invalid' });
  });

  it('hide held posts of other accounts, and do not decide on them', async () => {
    const { world, agent } = await worldOfOne();
    const all = world.agent({ mode: 'publish' });
    for (const [key, accountId] of Object.entries({ mine: world.instagram, theirs: world.facebook })) {
      world.service.faults.add({ kind: 'reset_before', route: 'POST /v1/posts/', times: 1 });
      const post = { content: key, mode: 'schedule', scheduledFor: inMinutes(90), accountIds: [accountId] };
      expect(await all('create_post', { key, ...post })).toMatchObject({ status: 'held' });
    }
    expect(await agent('list_held_posts')).toMatchObject({ data: { posts: [{ key: 'mine' }] } });
    expect((await agent('list_held_posts')).data?.['posts']).toHaveLength(1);
    expect(await agent('resolve_post', { key: 'theirs', as: 'abandoned' })).toMatchObject({ status: 'failed' });
    expect(await agent('retry_failed_targets', { key: 'other', retryKey: 'r' })).toMatchObject({ status: 'failed' });
    expect(await world.publisher.get('theirs')).toMatchObject({ state: 'in_doubt' });
  });

  it('have no account with an empty list', async () => {
    const world = new ToolWorld();
    const agent = world.agent({ accounts: [] });
    expect((await agent('list_accounts')).data).toEqual({ accounts: [] });
    expect(() => world.tools({ accounts: 'a' as never })).toThrow(ConfigurationError);
  });
});
