import { describe, expect, it, vi } from 'vitest';
import { inMinutes, partial, ToolWorld } from './world.js';

const post = (world: ToolWorld) => ({ key: 'k', content: 'Hello', mode: 'publish', accountIds: [world.instagram] });

/** The next create is refused, and nothing is sent. */
function refuseOnce(world = new ToolWorld(), route = 'POST /v1/posts/', status = 429): ToolWorld {
  world.service.faults.add({ kind: 'status', status, route, times: 1 });
  return world;
}

describe('an approval', () => {
  it('of a post that was not sent is kept over a restart', async () => {
    const world = refuseOnce();
    const first = await world.agent({ approve: () => true })('create_post', post(world));
    expect(first).toMatchObject({ status: 'failed', data: { state: 'ready' } });
    await world.pass(2);
    const approve = vi.fn(() => false);
    const restarted = world.agent({ approve });
    expect(await restarted('preview_post', post(world))).toMatchObject({ data: { needsApproval: false } });
    expect(await restarted('create_post', post(world))).toMatchObject({ status: 'ok', data: { replayed: true } });
    expect(approve).not.toHaveBeenCalled();
  });

  it('of a schedule is kept in another notation of the same time', async () => {
    const world = refuseOnce();
    const schedule = (time: string) => ({ ...post(world), mode: 'schedule', scheduledFor: time });
    await world.agent({ approve: () => true })('create_post', schedule(inMinutes(60)));
    await world.pass(2);
    const again = schedule(inMinutes(60).replace('.000Z', '+00:00'));
    expect(await world.agent()('create_post', again)).toMatchObject({ status: 'ok' });
  });

  it('is not needed again after a user decided that the post was not sent', async () => {
    const world = new ToolWorld();
    world.service.faults.add({ kind: 'reset_before', route: 'POST /v1/posts/', times: 1 });
    const approving = { approve: () => true };
    expect(await world.agent(approving)('create_post', post(world))).toMatchObject({ status: 'held' });
    await world.agent(approving)('resolve_post', { key: 'k', as: 'not_sent' });
    expect(await world.agent()('create_post', post(world))).toMatchObject({ status: 'ok' });
  });

  it('of one content is none of another one, which another program left under the key', async () => {
    const world = refuseOnce();
    await world.agent({ approve: () => true })('create_post', post(world));
    await world.publisher.resolve('k', { as: 'abandoned' });
    await world.publisher.prune({ olderThan: inMinutes(1) });
    const platforms = [{ platform: 'instagram' as const, accountId: world.instagram }];
    await world.publisher.enqueue('k', { content: 'Other words', publishNow: true, platforms });
    const other = { ...post(world), content: 'Other words' };
    expect(await world.agent()('create_post', other)).toMatchObject({ status: 'needs_approval' });
    expect(world.service.posts).toEqual([]);
  });

  it('of a pruned key is asked for again', async () => {
    const world = new ToolWorld();
    await world.agent({ approve: () => true })('create_post', post(world));
    await world.pass(5);
    await world.publisher.sweep();
    await world.publisher.prune({ olderThan: inMinutes(60) });
    expect(await world.publisher.get('k')).toBeUndefined();
    expect(await world.agent()('create_post', post(world))).toMatchObject({ status: 'needs_approval' });
  });

  it('is not stored after a no, or before a draft', async () => {
    const world = new ToolWorld();
    await world.agent({ approve: () => false })('create_post', post(world));
    expect(await world.store.scan('', undefined, 10)).toEqual([]);
    await world.agent({ approve: () => true })('create_post', { key: 'd', content: 'Draft' });
    expect(await world.store.scan('tools/', undefined, 10)).toEqual([]);
  });

  it('without a store is kept until the program ends', async () => {
    const world = refuseOnce();
    const approve = vi.fn(() => true);
    const agent = world.agent({ approve, store: undefined });
    await agent('create_post', post(world));
    await world.pass(2);
    expect(await agent('create_post', post(world))).toMatchObject({ status: 'ok' });
    expect(approve).toHaveBeenCalledOnce();
  });

  it('of a message that was not sent is kept over a restart', async () => {
    const world = new ToolWorld();
    const { participants } = world.service.seed.conversation({ accountId: world.instagram });
    const recipientId = participants?.[0]?.id;
    const message = { key: 'm', accountId: world.instagram, recipientId, text: 'Hello' };
    refuseOnce(world, 'POST /v1/messages/');
    expect(await world.agent({ approve: () => true })('send_message', message)).toMatchObject({ status: 'failed' });
    const other = { ...message, text: 'Other words' };
    expect(await world.agent()('send_message', other)).toMatchObject({ status: 'needs_approval' });
    expect(await world.agent()('send_message', message)).toMatchObject({ status: 'ok', data: { replayed: false } });
  });

  it('of an automation that was refused is kept over a restart', async () => {
    const world = new ToolWorld();
    const automation = { key: 'a', accountId: world.instagram, name: 'Price' };
    refuseOnce(world, 'POST /v1/comment-automations/', 401);
    expect(await world.agent({ approve: () => true })('create_automation', automation)).toMatchObject({
      status: 'failed',
    });
    expect(await world.agent()('create_automation', automation)).toMatchObject({ status: 'ok' });
  });
});

describe('a question for approval', () => {
  /** The question that a call asks. */
  async function questionOf(world: ToolWorld, input: object, tool = 'create_post'): Promise<string> {
    const asked: string[] = [];
    const approve = ({ summary }: { summary: string }) => {
      asked.push(summary);
      return false;
    };
    await world.agent({ approve, mode: 'schedule' })(tool, input);
    expect(asked).toHaveLength(1);
    return asked[0] ?? '';
  }

  it('tells two accounts with one user name apart', async () => {
    const world = new ToolWorld();
    const twin = world.service.seed.integration({ platform: 'instagram', username: 'acme' }).id;
    const questions = [
      await questionOf(world, post(world)),
      await questionOf(world, { ...post(world), accountIds: [twin] }),
    ];
    expect(questions).toEqual(
      [world.instagram, twin].map((id) => `Publish a post now to acme (instagram, ${id}): "Hello".`),
    );
  });

  it('names every account, however many there are', async () => {
    const world = new ToolWorld();
    const accounts = Array.from({ length: 30 }, (_, index) =>
      world.service.seed.integration({ platform: 'threads', username: `acme_${String(index)}` }),
    );
    const question = await questionOf(world, { ...post(world), accountIds: accounts.map(({ id }) => id) });
    for (const { id, username = '' } of accounts) expect(question).toContain(`${username} (threads, ${id})`);
  });

  it('names the accounts of a post that another program left unsent', async () => {
    const world = new ToolWorld();
    const platforms = [{ platform: 'instagram' as const, accountId: world.instagram }];
    await world.publisher.enqueue('k', { content: 'Hello', publishNow: true, platforms });
    expect(await questionOf(world, post(world))).toContain(`acme (instagram, ${world.instagram})`);
  });

  it('shows a key in one line, without characters that could hide the rest', async () => {
    const world = new ToolWorld();
    const key = 'launch\n\n\n\u202Egnihton';
    const platforms = [{ platform: 'instagram' as const, accountId: world.instagram }];
    await world.publisher.enqueue(key, { content: 'Hello', publishNow: true, platforms });
    expect(await questionOf(world, { key }, 'cancel_post')).toBe(
      `Cancel the post with the key launch gnihton, so that this is not done: Publish a post now to acme (instagram, ${world.instagram}): "Hello".`,
    );
  });

  it('names the accounts of a retry', async () => {
    const world = await partial();
    const question = await questionOf(world, { key: 'k', retryKey: 'k/retry' }, 'retry_failed_targets');
    expect(question).toBe(
      `Publish the post with the key k again: Publish a post now to acme_clips (tiktok, ${world.tiktok}): "Hello".`,
    );
  });

  it.each([
    [{ as: 'not_sent' }, 'not sent (sends: 1, the last at 2027-03-01T09:00:00.000Z)'],
    [{ as: 'abandoned' }, 'abandoned'],
    [{ as: 'published', postId: 'post_7' }, 'published as post_7'],
  ])('quotes the text of a held post, and names its accounts: %o', async (decision, what) => {
    const world = new ToolWorld();
    world.service.faults.add({ kind: 'reset_before', route: 'POST /v1/posts/', times: 1 });
    const accountIds = [world.instagram, world.facebook];
    const held = await world.agent({ mode: 'publish' })('create_post', { ...post(world), accountIds });
    expect(held).toMatchObject({ status: 'held' });
    await world.pass(60);
    expect(await questionOf(world, { key: 'k', ...decision }, 'resolve_post')).toBe(
      `Record that the post with the key k is ${what}: Publish a post now to acme (instagram, ${world.instagram}), acme.page (facebook, ${world.facebook}): "Hello".`,
    );
  });

  it('shows the ID of an account that was deleted', async () => {
    const world = await partial();
    world.service.faults.add({ kind: 'status', status: 404, route: 'GET /v1/connect/integrations/{id}', times: 1 });
    const question = await questionOf(world, { key: 'k', retryKey: 'k/retry' }, 'retry_failed_targets');
    expect(question).toBe(
      `Publish the post with the key k again: Publish a post now to ${world.tiktok} (tiktok): "Hello".`,
    );
  });

  it('says that a time in the past may publish at once', async () => {
    const world = new ToolWorld();
    const past = { ...post(world), mode: 'schedule', scheduledFor: inMinutes(-60) };
    const note =
      'This time is in the past: the post may go out at once. The API document does not say whether it does.';
    expect(await questionOf(world, past)).toMatch(/^Schedule a post for 2027-03-01T08:00:00.*: "Hello"\. This time/);
    expect(await questionOf(world, past)).toContain(note);
    expect((await world.agent()('preview_post', past)).summary).toContain(note);
    const soon = { ...past, scheduledFor: inMinutes(4) };
    expect(await questionOf(world, soon)).not.toContain('past');
  });
});

describe('an approval of a retry', () => {
  const retry = { key: 'k', retryKey: 'k/retry' };

  it('that was not sent is kept over a restart', async () => {
    const world = await partial();
    refuseOnce(world);
    const first = await world.agent({ approve: () => true })('retry_failed_targets', retry);
    expect(first).toMatchObject({ status: 'failed', data: { state: 'ready' } });
    await world.pass(2);
    expect(await world.agent()('retry_failed_targets', retry)).toMatchObject({ data: { state: 'partial' } });
    expect(world.service.posts).toHaveLength(2);
  });

  it('is asked for again if the key was pruned and has another post', async () => {
    const world = await partial();
    await world.agent({ approve: () => true })('retry_failed_targets', retry);
    await world.pass(5);
    await world.publisher.sweep();
    await world.publisher.prune({ olderThan: inMinutes(60) });
    expect(await world.publisher.get('k/retry')).toBeUndefined();
    await world.pass(3 * 24 * 60); // Until an equal post is another one.
    await partial(world);
    const posts = world.service.posts.length;
    expect(await world.agent()('retry_failed_targets', retry)).toMatchObject({ status: 'needs_approval' });
    expect(world.service.posts).toHaveLength(posts);
  });

  it('is needed for a retry that another program left ready', async () => {
    const world = await partial();
    refuseOnce(world);
    expect(await world.publisher.retryFailed('k', 'k/retry')).toMatchObject({ state: 'ready' });
    await world.pass(2);
    const posts = world.service.posts.length;
    expect(await world.agent()('retry_failed_targets', retry)).toMatchObject({ status: 'needs_approval' });
    expect(world.service.posts).toHaveLength(posts);
  });
});
