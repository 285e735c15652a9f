import { describe, expect, it } from 'vitest';
import { newGate } from '../support/gate.js';
import { doubtWorld, isList } from './doubt.js';

const idsOf = (results: readonly object[]) =>
  results.map((result) => (result as { post?: { postId: string } }).post?.postId).sort();

describe('a post is claimed once', () => {
  it.each([{}, { waitMs: 5_000 }])('where one error is reconciled several times at once (%j)', async (options) => {
    const { client, service, lostCreate } = doubtWorld();
    const error = await lostCreate();
    const results = await Promise.all([1, 2, 3].map(() => client.posts.reconcile(error, options)));
    const [{ postId } = { postId: '' }] = service.posts;
    expect(idsOf(results)).toEqual([postId, postId, postId]);
    expect(await client.posts.reconcile(error, options)).toMatchObject({ status: 'created', post: { postId } });
  });

  it.each([{}, { waitMs: 5_000 }])('where several errors are reconciled at once (%j)', async (options) => {
    const { client, service, lostCreate } = doubtWorld();
    const errors = [await lostCreate(), await lostCreate(), await lostCreate()];
    const kin = [client, client.withOptions({ maxRetries: 1 }), client.withOptions({ headers: { 'x-a': 'b' } })];
    const results = await Promise.all(
      errors.map((error, index) => (kin[index] ?? client).posts.reconcile(error, options)),
    );
    expect(idsOf(results)).toEqual(service.posts.map(({ postId }) => postId).sort());
    // Each keeps its post.
    const again = await Promise.all(errors.map((error) => client.posts.reconcile(error, options)));
    expect(idsOf(again.slice(0, 1))).toEqual(idsOf(results.slice(0, 1)));
    expect(idsOf(again)).toEqual(idsOf(results));
  });

  it('where the list has several pages', async () => {
    const { client, body, lostCreate, othersCreate } = doubtWorld();
    const errors = [await lostCreate(), await lostCreate()];
    for (let count = 0; count < 120; count += 1) await othersCreate(body(`Other ${String(count)}`));
    errors.push(await lostCreate());
    const results = await Promise.all(errors.map((error) => client.posts.reconcile(error)));
    expect(new Set(idsOf(results)).size).toBe(3);
    expect(results.map(({ status }) => status)).toEqual(['created', 'created', 'created']);
  });

  it('and a list that was fetched before another claim assigns it to no other create', async () => {
    const { client, lostCreate, intercept } = doubtWorld();
    const first = await lostCreate();
    const second = await lostCreate();
    const held = newGate();
    let lists = 0;
    intercept((send) => async (input, init) => {
      const response = await send(input, init);
      if (isList(input, init) && ++lists === 1) await held.opened;
      return response;
    });
    const slow = client.posts.reconcile(first);
    const quick = await client.posts.reconcile(second);
    held.open();
    expect(new Set(idsOf([quick, await slow])).size).toBe(2);
  });
});

describe('equal creates in doubt', () => {
  it('get one post each, the first sent the first created', async () => {
    const { client, service, lostCreate } = doubtWorld();
    const errors: unknown[] = [];
    for (let count = 0; count < 3; count += 1) {
      errors.push(await lostCreate());
      await service.clock.advance({ seconds: 1 });
    }
    const found = [];
    for (const error of errors) found.push(await client.posts.reconcile(error));
    const byAge = [...service.posts].sort((a, b) => (a.createdAt ?? '').localeCompare(b.createdAt ?? ''));
    expect(found.map((result) => (result.status === 'created' ? result.post.postId : result.status))).toEqual(
      byAge.map(({ postId }) => postId),
    );
  });

  it('get none while there are fewer posts than creates', async () => {
    const { client, service, lostCreate } = doubtWorld();
    const carriedOut = await lostCreate();
    const lost = await lostCreate(undefined, 'reset_before');
    for (const error of [carriedOut, lost]) {
      expect(await client.posts.reconcile(error, { waitMs: 1_000 })).toMatchObject({
        status: 'ambiguous',
        posts: [{ postId: service.posts[0]?.postId }],
      });
    }
  });

  it('get none where another program made the same post', async () => {
    const { client, lostCreate, othersCreate } = doubtWorld();
    const error = await lostCreate();
    await othersCreate();
    const result = await client.posts.reconcile(error);
    expect(result.status === 'ambiguous' && result.posts).toHaveLength(2);
  });

  it('get a post with more only where none has the very request', async () => {
    const { client, service, body, lostCreate } = doubtWorld();
    const error = await lostCreate();
    const [own] = service.posts;
    const fetched = client.withOptions({
      fetch: async (input, init) => {
        const response = await service.fetch(input, init);
        const list = (await response.json()) as { posts: Record<string, unknown>[]; total: number };
        const more = { ...own, postId: 'post_more', rawRequestBody: { ...body(), timezone: 'UTC' } };
        return Response.json({ ...list, total: 2, posts: [more, ...list.posts] }, response);
      },
    });
    expect(await fetched.posts.reconcile(error)).toMatchObject({ status: 'created', post: { postId: own?.postId } });
  });
});

describe('an empty draft', () => {
  it('does not match another draft', async () => {
    const { client, lostCreate, othersCreate } = doubtWorld();
    await othersCreate({ content: 'A draft of somebody else', saveAsDraft: true });
    const error = await lostCreate({ saveAsDraft: true }, 'reset_before');
    expect(await client.posts.reconcile(error)).toEqual({ status: 'not_found' });
    const second = await lostCreate({ content: '', saveAsDraft: true });
    expect(await client.posts.reconcile(second)).toMatchObject({ status: 'created', post: { content: '' } });
    expect(await client.posts.reconcile(error)).toEqual({ status: 'not_found' });
  });
});

describe('an equal create in flight', () => {
  it('keeps its post', async () => {
    const { client, service, lostCreate, heldCreate } = doubtWorld();
    const error = await lostCreate(undefined, 'reset_before');
    const held = await heldCreate();
    const result = await client.posts.reconcile(error);
    expect(result).toMatchObject({ status: 'ambiguous', posts: [{ postId: service.posts[0]?.postId }] });
    held.release();
    expect((await held.reply).postId).toBe(service.posts[0]?.postId);
    expect(await client.posts.reconcile(error)).toEqual({ status: 'not_found' });
  });

  it('of a client made by withOptions too', async () => {
    const { client, lostCreate, heldCreate } = doubtWorld();
    const error = await lostCreate(undefined, 'reset_before');
    const held = await heldCreate();
    expect(await client.withOptions({}).posts.reconcile(error)).toMatchObject({ status: 'ambiguous' });
    held.release();
    await held.reply;
  });

  it('is waited for as long as waitMs says', async () => {
    let pause = () => Promise.resolve();
    const { client, service, lostCreate, heldCreate } = doubtWorld({}, {}, { sleep: () => pause() });
    const error = await lostCreate();
    const held = await heldCreate();
    let answered = '';
    pause = async () => {
      held.release();
      answered = (await held.reply).postId;
    };
    const result = await client.posts.reconcile(error, { waitMs: 10_000 });
    const [mine] = service.posts.filter(({ postId }) => postId !== answered);
    expect(result).toMatchObject({ status: 'created', post: { postId: mine?.postId } });
  });

  it('does not interfere if its body differs', async () => {
    const { client, service, body, lostCreate, heldCreate } = doubtWorld();
    const error = await lostCreate();
    const held = await heldCreate(body('Something else'));
    expect(await client.posts.reconcile(error)).toMatchObject({
      status: 'created',
      post: { postId: service.posts.find(({ content }) => content === 'Hello')?.postId },
    });
    held.release();
    await held.reply;
  });
});

describe('hundreds of equal creates in doubt', () => {
  it('get one post each', async () => {
    const { client, lostCreate } = doubtWorld();
    const errors: unknown[] = [];
    for (let count = 0; count < 150; count += 1) errors.push(await lostCreate());
    const results = await Promise.all(errors.map((error) => client.posts.reconcile(error)));
    expect(new Set(idsOf(results)).size).toBe(150);
  });
});
