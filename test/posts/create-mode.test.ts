import { InvalidRequestError, retryFailed, type CreatePostFields } from 'social-publishing';
import { createPublisher, MemoryDurableStore } from 'social-publishing/publisher';
import { beforeEach, describe, expect, it } from 'vitest';
import { goesOutSoon } from '../../src/posts/read-create.js';
import { everydayWorld, type EverydayWorld } from '../resources/everyday-world.js';

let world: EverydayWorld;
let form: CreatePostFields;

beforeEach(() => {
  world = everydayWorld();
  const accountId = world.service.seed.integration({ platform: 'instagram' }).id;
  form = { content: 'Hello', platforms: [{ platform: 'instagram', accountId }] };
});

const later = '2026-03-02T12:00:00Z';

describe('a body that a form filled', () => {
  it.each([
    [
      'to publish now and at a time',
      { publishNow: true, scheduledFor: later },
      'scheduledFor cannot be combined with publishNow',
    ],
    [
      'to publish now and as a draft',
      { publishNow: true, saveAsDraft: true },
      'publishNow cannot be combined with saveAsDraft',
    ],
    [
      'at a time and as a draft',
      { scheduledFor: later, saveAsDraft: true },
      'scheduledFor cannot be combined with saveAsDraft',
    ],
    ['in no mode', {}, 'scheduledFor is required, or publishNow: true, or saveAsDraft: true'],
    [
      'in no mode, with boxes that are not ticked',
      { publishNow: false, saveAsDraft: false },
      'scheduledFor is required',
    ],
    [
      'to publish now without targets',
      { publishNow: true, platforms: undefined },
      'platforms must have at least one { platform, accountId } with publishNow',
    ],
    [
      'at a time with an empty list of targets',
      { scheduledFor: later, platforms: [] },
      'platforms must have at least one { platform, accountId } with scheduledFor',
    ],
  ])('%s is refused before anything is sent', async (_, mode, message) => {
    const body: CreatePostFields = { ...form, ...mode };
    const error = await world.client.posts.create(body).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidRequestError);
    const { issues } = error as InvalidRequestError;
    expect(issues.map(({ message: text }) => text).join('\n')).toContain(message);

    const publisher = createPublisher({ client: world.client, store: new MemoryDurableStore() });
    await expect(publisher.publish('key', body)).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(publisher.get('key')).resolves.toBeUndefined();
    const results = [];
    for await (const { status } of world.client.posts.createMany([body])) results.push(status);
    expect(results).toEqual(['failed']);
    expect(world.service.requests).toEqual([]);
  });

  it.each([
    { publishNow: true, saveAsDraft: false },
    { publishNow: false, scheduledFor: later },
    { saveAsDraft: true, publishNow: false, scheduledFor: undefined },
  ])('goes out in the one mode that it has: %j', async (mode) => {
    await world.client.posts.create({ ...form, ...mode });
    expect(world.service.posts).toHaveLength(1);
  });

  it('is a draft without targets', async () => {
    await world.client.posts.create({ content: 'Hello', saveAsDraft: true });
    expect(world.service.posts).toMatchObject([{ status: 'draft' }]);
  });

  it('may leave its targets to extraBody', async () => {
    const { platforms } = form;
    await world.client.posts.create(
      { content: 'Hello', publishNow: true, platforms: [] },
      { extraBody: { platforms } },
    );
    expect(world.service.posts).toMatchObject([{ status: 'published' }]);
  });

  it('may leave its mode to extraBody', async () => {
    await world.client.posts.create(form, { extraBody: { scheduledFor: later, timezone: 'Europe/Berlin' } });
    expect(world.service.posts).toMatchObject([{ status: 'scheduled' }]);
  });
});

describe('goesOutSoon', () => {
  const now = Date.parse('2027-03-01T09:00:00Z');

  it.each([
    [{ saveAsDraft: true }, false],
    [{ publishNow: true }, true],
    [{}, true],
    [{ scheduledFor: '2027-03-01T09:04:59.999Z' }, true],
    [{ scheduledFor: '2027-03-01T09:05:00Z' }, false],
    [{ scheduledFor: '2027-03-01T08:00:00Z' }, true],
    // The service decides the time zone.
    [{ scheduledFor: '2027-03-02T09:00:00' }, true],
    [{ scheduledFor: '2027-02-30T09:00:00Z' }, true],
  ])('of %j is %s', (request, isSoon) => {
    expect(goesOutSoon(request, now)).toBe(isSoon);
  });
});

describe('a slip of the pen', () => {
  it('in an option of waiting or of reconcile is reported with a suggestion', async () => {
    const { posts } = world.client;
    await expect(posts.waitUntilFinal('post_1', { waitMS: 5 } as never)).rejects.toThrow("did you mean 'waitMs'?");
    const question = { body: { ...form, publishNow: true }, sentAt: new Date() };
    await expect(posts.reconcile(question, { waitMS: 5 } as never)).rejects.toThrow("did you mean 'waitMs'?");
    expect(world.service.requests).toEqual([]);
  });

  it('of passing the reply to a create as a listed post is reported by retryFailed', async () => {
    const created = await world.client.posts.create({ ...form, publishNow: true });
    // @ts-expect-error The compiler reports it too.
    expect(() => retryFailed(created)).toThrow('posts.waitUntilFinal returns the listed post');
  });
});
