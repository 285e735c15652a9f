import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../src/tools/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { noWaits } from '../publisher/world.js';
import { inMinutes, ToolWorld, toolWorld, withoutField } from './world.js';

/** A world whose publisher keeps a scheduled post until 10 minutes before its time. */
function waitingWorld(approves = true) {
  const world = new ToolWorld();
  const { client, store } = world;
  const publisher = createPublisher({ client, store, sendAheadMs: 600_000, now: () => world.time }, noWaits);
  const asked: string[] = [];
  const approve = ({ summary }: ApprovalRequest) => {
    asked.push(summary);
    return approves;
  };
  const agent = world.agent({ mode: 'schedule', publisher, approve });
  const post = {
    key: 'k',
    content: 'Hello',
    mode: 'schedule',
    scheduledFor: inMinutes(60),
    accountIds: [world.instagram],
  };
  return { world, publisher, agent, asked, post };
}

describe('a post that waits for its time', () => {
  it('is ok, with the time of its send', async () => {
    const { world, agent, post } = waitingWorld();
    const sendAt = '2027-03-01T09:50:00Z';
    expect(await agent('create_post', post)).toMatchObject({
      status: 'ok',
      summary: `The post waits, and is sent at ${sendAt}.`,
      data: { state: 'ready', sendAt },
    });
    const waited = await agent('wait_for_post', { key: 'k', seconds: 0 });
    expect(waited).toMatchObject({ status: 'ok', data: { sendAt, final: false } });
    expect((await agent('get_post', { key: 'k' })).next).toBeUndefined();
    await world.pass(55);
    expect(await agent('wait_for_post', { key: 'k', seconds: 0 })).toMatchObject({
      status: 'failed',
      next: 'To send it, call again with the same key.',
    });
    expect(world.writes).toEqual([]);
  });

  it('needs no call after the decision that it was not sent: a sweep sends it', async () => {
    const { agent, post } = waitingWorld();
    await agent('create_post', post);
    const decided = await agent('resolve_post', { key: 'k', as: 'not_sent' });
    expect(decided).toMatchObject({ status: 'ok', data: { state: 'ready', sendAt: '2027-03-01T09:50:00Z' } });
    expect(decided.next).toBeUndefined();
  });
});

describe('a post that no sweep sent in time', () => {
  it('is not called refused by the service, and edit_post gives it another time under its key', async () => {
    const { world, publisher, agent, post } = waitingWorld();
    await agent('create_post', post);
    await world.pass(60 + 61);
    await publisher.sweep();
    const late = await agent('create_post', post);
    expect(late).toMatchObject({
      status: 'rejected',
      summary: 'It was too late to send the post. Nothing was sent.',
      next: expect.stringContaining('edit_post with its key') as string,
      data: { state: 'rejected' },
    });
    const edited = await agent('edit_post', { key: 'k', scheduledFor: inMinutes(300) });
    expect(edited).toMatchObject({ status: 'ok', data: { state: 'ready' } });
    expect(world.writes).toEqual([]);
  });
});

describe('edit_post by key', () => {
  it('changes text, accounts and time before the send, after approval, and keeps the rest', async () => {
    const { world, publisher, agent, asked, post } = waitingWorld();
    await agent('create_post', post);
    const text = await agent('edit_post', { key: 'k', content: 'Changed' });
    expect(text).toMatchObject({
      status: 'ok',
      data: { key: 'k', state: 'ready', sendAt: expect.any(String) as string },
    });
    expect(asked).toEqual([
      `Change the post with the key k, before it is sent. New: Schedule a post for 2027-03-01T10:00:00Z to acme (instagram, ${world.instagram}): "Changed".`,
    ]);
    await agent('edit_post', { key: 'k', accountIds: [world.facebook], scheduledFor: inMinutes(120) });
    expect((await publisher.get('k'))?.body).toEqual({
      content: 'Changed',
      platforms: [{ platform: 'facebook', accountId: world.facebook }],
      scheduledFor: '2027-03-01T11:00:00Z',
    });
    expect(world.writes).toEqual([]);
    await world.pass(115);
    await publisher.sweep();
    expect(world.service.posts).toMatchObject([{ content: 'Changed' }]);
  });

  it('changes nothing if the user declines, and asks nothing if nothing changes', async () => {
    const { publisher, agent, asked, post } = waitingWorld(false);
    await agent('create_post', post);
    expect(await agent('edit_post', { key: 'k', content: 'Changed' })).toMatchObject({ status: 'rejected' });
    const same = { content: 'Hello', scheduledFor: '2027-03-01T11:00:00+01:00' };
    expect(await agent('edit_post', { key: 'k', ...same })).toMatchObject({ status: 'ok' });
    expect(asked).toHaveLength(1);
    expect((await publisher.get('k'))?.body.content).toBe('Hello');
  });

  it('keeps the key for the new text: the old input is rejected, and the new one is the same post', async () => {
    const { agent, post } = waitingWorld();
    await agent('create_post', post);
    for (let run = 0; run < 2; run += 1)
      expect(await agent('edit_post', { key: 'k', content: 'Changed' })).toMatchObject({ status: 'ok' });
    expect(await agent('create_post', post)).toMatchObject({ status: 'rejected' });
    expect(await agent('create_post', { ...post, content: 'Changed' })).toMatchObject({ data: { replayed: true } });
  });

  it('sends a changed post that the service was too busy for, with one question', async () => {
    const { world, agent, asked, post } = waitingWorld();
    world.service.faults.add({ kind: 'status', status: 429, route: 'POST /v1/posts/', times: 1 });
    const now = { key: 'now', content: 'Hello', mode: 'publish', accountIds: post.accountIds };
    expect(await agent('create_post', now)).toMatchObject({ status: 'failed' });
    const edited = await agent('edit_post', { key: 'now', content: 'Changed' });
    expect(edited.next).toBe('To send it, call create_post again with the same key and the changed input.');
    await world.pass(5);
    for (let run = 0; run < 2; run += 1) await agent('create_post', { ...now, content: 'Changed' });
    expect(asked).toHaveLength(2); // Of the first call, and of the change.
    expect(world.service.posts.map(({ content }) => content)).toEqual(['Changed']);
  });

  it.each(['edit_post', 'cancel_post'])('%s refuses a post that was sent, and says how to go on', async (tool) => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    const { data } = await agent('create_post', {
      key: 'k',
      content: 'Hello',
      mode: 'schedule',
      scheduledFor: inMinutes(60),
      accountIds: [world.instagram],
    });
    const result = await agent(tool, { key: 'k', ...(tool === 'edit_post' && { content: 'Changed' }) });
    expect(result).toMatchObject({ status: 'failed', data: { postId: data?.['postId'] } });
    expect(result.next).toContain(`call edit_post with postId ${String(data?.['postId'])}`);
    expect(await agent(tool, { key: 'none', ...(tool === 'edit_post' && { content: 'C' }) })).toMatchObject({
      status: 'failed',
      summary: 'A post with this key was not found.',
    });
  });

  it('reports a post that another process sends during the question', async () => {
    const { world, publisher, post } = waitingWorld();
    const approve = async () => {
      await world.pass(51);
      await publisher.sweep();
      return true;
    };
    const agent = world.agent({ mode: 'schedule', publisher, approve });
    await agent('create_post', post);
    const result = await agent('edit_post', { key: 'k', content: 'Changed' });
    expect(result).toMatchObject({ status: 'failed', data: { state: 'accepted' } });
    expect(world.service.posts).toMatchObject([{ content: 'Hello' }]);
  });

  it.each([
    [{ key: 'k' }, 'content'],
    [{ key: 'k', postId: 'p', content: 'C' }, 'postId'],
    [{ content: 'C' }, 'postId'],
    [{ postId: 'p', content: 'C', scheduledFor: inMinutes(60) }, 'scheduledFor'],
    [{ key: 'k', accountIds: ['a', 'a'] }, 'accountIds'],
  ])('refuses %o and names %s', async (input, field) => {
    const world = new ToolWorld();
    expect(await world.agent()('edit_post', input)).toMatchObject({ status: 'invalid', data: { issues: [{ field }] } });
    expect(world.service.requests).toEqual([]);
  });
});

describe('cancel_post', () => {
  it('cancels a post before the send, once, after approval', async () => {
    const { world, publisher, agent, asked, post } = waitingWorld();
    await agent('create_post', post);
    for (let run = 0; run < 2; run += 1)
      expect(await agent('cancel_post', { key: 'k' })).toMatchObject({ status: 'ok', data: { state: 'abandoned' } });
    expect(asked).toEqual([
      `Cancel the post with the key k, so that this is not done: Schedule a post for 2027-03-01T10:00:00Z to acme (instagram, ${world.instagram}): "Hello".`,
    ]);
    await world.pass(70);
    await publisher.sweep();
    expect(world.writes).toEqual([]);
    expect(await agent('create_post', post)).toMatchObject({ status: 'rejected' });
  });

  it('cancels nothing if the user declines', async () => {
    const { publisher, agent, post } = waitingWorld(false);
    await agent('create_post', post);
    expect(await agent('cancel_post', { key: 'k' })).toMatchObject({ status: 'rejected' });
    expect(await publisher.get('k')).toMatchObject({ state: 'ready' });
  });
});

describe('edit_post by postId', () => {
  async function scheduledPost(approves = true) {
    const world = new ToolWorld();
    const asked: string[] = [];
    const approve = ({ summary }: ApprovalRequest) => asked.push(summary) > 0 && approves;
    const agent = world.agent({ mode: 'schedule', approve });
    const post = { content: 'Hello', mode: 'schedule', scheduledFor: inMinutes(60), accountIds: [world.instagram] };
    const { data } = await agent('create_post', { key: 'k', ...post });
    return { world, agent, asked, postId: String(data?.['postId']) };
  }

  it('changes the text, after a question that names the targets and what may change too', async () => {
    const { world, agent, asked, postId } = await scheduledPost();
    for (let run = 0; run < 2; run += 1)
      expect(await agent('edit_post', { postId, content: 'Changed' })).toMatchObject({
        status: 'ok',
        data: { postId },
      });
    expect(asked[0]).toBe(
      `Change the post ${postId}, scheduled for 2027-03-01T10:00:00Z, to acme (instagram, ${world.instagram}): "Changed". ` +
        'Its accounts, media and time may change too: the API document does not say what an omitted field does.',
    );
    expect(world.service.posts).toMatchObject([{ content: 'Changed', status: 'scheduled' }]);
  });

  it('changes the accounts', async () => {
    const { world, agent, asked, postId } = await scheduledPost();
    await agent('edit_post', { postId, content: 'Changed', accountIds: [world.facebook] });
    expect(asked[0]).toContain(`to acme.page (facebook, ${world.facebook})`);
    expect(asked[0]).toContain('Its media and time may change too');
    expect(world.writes.at(-1)).toMatchObject({
      method: 'PUT',
      body: { content: 'Changed', platforms: [{ platform: 'facebook', accountId: world.facebook }] },
    });
  });

  it('quotes the text that the post has if only its accounts change', async () => {
    const { world, agent, asked, postId } = await scheduledPost();
    const reads = () => world.service.requests.filter(({ path }) => path.startsWith('/v1/connect')).length;
    const before = reads();
    await agent('edit_post', { postId, accountIds: [world.facebook] });
    expect(asked).toEqual([
      `Change the post ${postId}, scheduled for 2027-03-01T10:00:00Z, to acme.page (facebook, ${world.facebook}). ` +
        'Its text "Hello", media and time may change too: the API document does not say what an omitted field does.',
    ]);
    expect(reads()).toBe(before + 1);
  });

  it('quotes an empty text for a post that the service lists without one', async () => {
    const { world, postId } = await scheduledPost();
    const asked: string[] = [];
    const approve = ({ summary }: ApprovalRequest) => asked.push(summary) < 0;
    const agent = withoutField(world, 'content').agent({ approve });
    await agent('edit_post', { postId, accountIds: [world.facebook] });
    expect(asked[0]).toContain('Its text "", media and time may change too');
  });

  it('says that a draft cannot be changed, by ID and by key, and how to save another text', async () => {
    const { agent } = toolWorld({ mode: 'publish' });
    const { data } = await agent('create_post', { key: 'k', content: 'Draft' });
    const results = [
      await agent('edit_post', { postId: data?.['postId'], content: 'Changed' }),
      await agent('edit_post', { key: 'k', content: 'Changed' }),
      await agent('cancel_post', { key: 'k' }),
    ];
    for (const result of results)
      expect(result).toMatchObject({
        status: 'failed',
        next: expect.stringMatching(/choose one new key, and call create_post with it/) as string,
      });
  });

  it('leads out for an ID that is a key, that nothing has, or that is listed late', async () => {
    const { world, agent } = await scheduledPost();
    expect(await agent('edit_post', { postId: 'k', content: 'C' })).toMatchObject({
      next: 'This is the key of a post: pass it as key.',
    });
    expect((await agent('edit_post', { postId: 'none', content: 'C' })).next).toContain('list_posts');
    world.service.faults.add({ kind: 'listing_lag', lagMs: 3_600_000 });
    const post = { content: 'Late', mode: 'schedule', scheduledFor: inMinutes(90), accountIds: [world.instagram] };
    const { data } = await agent('create_post', { key: 'late', ...post });
    expect(await agent('edit_post', { postId: data?.['postId'], content: 'C' })).toMatchObject({
      status: 'failed',
      data: { key: 'late' },
      next: 'Call again in a minute.',
    });
  });

  it('sends nothing if the user declines, and for a post that is not scheduled', async () => {
    const { world, agent, postId } = await scheduledPost(false);
    const before = world.writes.length;
    expect(await agent('edit_post', { postId, content: 'Changed' })).toMatchObject({ status: 'rejected' });
    await world.pass(90);
    const late = await agent('edit_post', { postId, content: 'Changed' });
    expect(late).toMatchObject({ status: 'failed', next: expect.stringContaining('get_post') as string });
    expect(await agent('edit_post', { postId: 'none', content: 'C' })).toMatchObject({ status: 'failed' });
    expect(world.writes).toHaveLength(before);
  });

  it('is safe to repeat after a lost reply', async () => {
    const { world, agent, postId } = await scheduledPost();
    world.service.faults.add({ kind: 'reset_after_commit', route: 'PUT /v1/posts/scheduled/{postId}', times: 1 });
    const lost = await agent('edit_post', { postId, content: 'Changed' });
    expect(lost).toMatchObject({ status: 'failed', next: 'Call again with the same input.' });
    expect(await agent('edit_post', { postId, content: 'Changed' })).toMatchObject({ status: 'ok' });
    expect(world.service.posts).toHaveLength(1);
  });

  it('hides posts of other accounts', async () => {
    const { world, postId } = await scheduledPost();
    const agent = world.agent({ mode: 'publish', accounts: [world.facebook] });
    expect(await agent('edit_post', { postId, content: 'C' })).toMatchObject({ status: 'failed' });
    expect(await agent('edit_post', { key: 'k', content: 'C' })).toMatchObject({ status: 'failed' });
    expect(await agent('cancel_post', { key: 'k' })).toMatchObject({ status: 'failed' });
  });
});
