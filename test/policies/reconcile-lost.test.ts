import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/core/errors.js';
import { SocialPublishing } from '../../src/client.js';
import type { PostTargetInput } from '../../src/posts/posts.js';
import { withShortTimeouts } from '../support/short-timeouts.js';
import { rejection, testKey } from './client.js';
import { doubtWorld, isList } from './doubt.js';

describe('a sent request is remembered unchanged', () => {
  it.each([
    ['a text', (template: Template) => (template.content = 'tuesday')],
    ['its targets', (template: Template) => template.platforms.push({ platform: 'bluesky', accountId: 'other' })],
    ['a Date in it', (template: Template) => template.scheduledFor.setUTCFullYear(2099)],
  ])('where the caller changes %s after the call', async (_, change) => {
    const { client, service, body } = doubtWorld();
    const template: Template = {
      content: 'monday',
      platforms: [...(body().platforms ?? [])],
      scheduledFor: new Date(service.clock.now() + 86_400_000),
    };
    service.faults.add({ route: 'POST /v1/posts/', times: 2, kind: 'reset_after_commit' });
    const call = client.posts.create(template);
    change(template);
    const error = await rejection(call);
    const [monday] = service.posts;
    expect(await client.posts.reconcile(error)).toMatchObject({ status: 'created', post: { postId: monday?.postId } });
  });

  it('where the caller changes extraBody after the call', async () => {
    const { client, service, body } = doubtWorld();
    const extraBody = { mediaItems: [{ url: 'https://example.com/a.png' }] };
    service.faults.add({ route: 'POST /v1/posts/', times: 1, kind: 'reset_before' });
    const call = client.posts.create(body(), { extraBody });
    extraBody.mediaItems[0] = { url: 'https://example.com/b.png' };
    const error = await rejection(call);
    // The post of the changed object belongs to another create.
    await client.posts.create(body(), { extraBody });
    expect(await client.posts.reconcile(error)).toEqual({ status: 'not_found' });
  });
});

interface Template {
  content: string;
  platforms: PostTargetInput[];
  scheduledFor: Date;
}

describe('a create of a process that died', () => {
  it('is found by its body and time', async () => {
    const { service, body, lostCreate } = doubtWorld();
    const sentAt = new Date();
    await lostCreate();
    const restarted = new SocialPublishing({
      baseUrl: 'https://emulator.test',
      accessKey: testKey,
      fetch: service.fetch,
    });
    const [own] = service.posts;
    for (const at of [sentAt, sentAt.toISOString()]) {
      const found = await restarted.posts.reconcile({ body: body(), sentAt: at });
      expect(found).toMatchObject({ status: 'created', post: { postId: own?.postId } });
    }
  });

  it('is found with its extraBody', async () => {
    const { service, client, body } = doubtWorld();
    const sentAt = new Date();
    const extraBody = { mediaItems: [{ url: 'https://example.com/a.png' }] };
    service.faults.add({ route: 'POST /v1/posts/', times: 1, kind: 'reset_after_commit' });
    await rejection(client.posts.create(body(), { extraBody }));
    const restarted = new SocialPublishing({
      baseUrl: 'https://emulator.test',
      accessKey: testKey,
      fetch: service.fetch,
    });
    expect(await restarted.posts.reconcile({ body: body(), sentAt })).toEqual({ status: 'not_found' });
    const found = await restarted.posts.reconcile({ body: body(), extraBody, sentAt });
    expect(found).toMatchObject({ status: 'created' });
  });

  it("ignores posts of this client's other creates, and excluded posts", async () => {
    const { client, body, othersCreate } = doubtWorld();
    const sentAt = new Date();
    await client.posts.create(body());
    expect(await client.posts.reconcile({ body: body(), sentAt })).toEqual({ status: 'not_found' });
    const postId = await othersCreate();
    expect(await client.posts.reconcile({ body: body(), sentAt, exclude: [postId] })).toEqual({ status: 'not_found' });
    expect(await client.posts.reconcile({ body: body(), sentAt })).toMatchObject({
      status: 'created',
      post: { postId },
    });
    expect(await client.posts.reconcile({ body: body(), sentAt })).toMatchObject({
      status: 'created',
      post: { postId },
    });
  });

  it('is the same as one whose error this client has', async () => {
    const { client, body, lostCreate } = doubtWorld();
    const sentAt = new Date();
    const error = await lostCreate();
    const byBody = await client.posts.reconcile({ body: body(), sentAt });
    expect(byBody.status).toBe('created');
    expect(await client.posts.reconcile(error)).toEqual(byBody);
  });

  it.each([
    ['body', { body: { content: 5 }, sentAt: new Date() }, 'body'],
    ['body that is missing', { sentAt: new Date() }, 'body'],
    ['sentAt', { body: { content: 'Hi', saveAsDraft: true }, sentAt: 'yesterday' }, 'sentAt'],
    ['sentAt that is no date', { body: { content: 'Hi', saveAsDraft: true }, sentAt: new Date(Number.NaN) }, 'sentAt'],
    [
      'sentAt without an offset',
      { body: { content: 'Hi', saveAsDraft: true }, sentAt: '2026-03-01T09:00:00' },
      'sentAt',
    ],
    [
      'body with a local time',
      { body: { content: 'Hi', scheduledFor: '2027-03-01T09:00:00' }, sentAt: new Date() },
      'body',
    ],
    ['sentAt that is missing', { body: { content: 'Hi', saveAsDraft: true } }, 'sentAt'],
    ['exclude', { body: { content: 'Hi', saveAsDraft: true }, sentAt: new Date(), exclude: 'post_1' }, 'exclude'],
    ['name', { body: { content: 'Hi', saveAsDraft: true }, sentAt: new Date(), exlude: [] }, 'exlude'],
  ])('is refused with a wrong %s', async (_, asked, name) => {
    const { client, service } = doubtWorld();
    const error = await rejection(client.posts.reconcile(asked));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).issues.map(({ path }) => path[0])).toEqual([name]);
    expect(service.requests).toHaveLength(0);
  });
});

it('accepts a local time with a time zone, as a create does', async () => {
  const { client } = doubtWorld();
  const body = { content: 'Hi', scheduledFor: '2027-03-01T09:00:00', platforms: [] };
  const asked = { body, extraBody: { timezone: 'Europe/Berlin' }, sentAt: new Date() };
  expect(await client.posts.reconcile(asked)).toEqual({ status: 'not_found' });
});

describe('what reconcile throws', () => {
  it('speaks of the create, not of the list that failed', async () => {
    const { client, service, lostCreate } = doubtWorld();
    const error = await lostCreate();
    service.faults.add({ route: 'GET /v1/posts/', times: 1, kind: 'reset_before' });
    const thrown = (await rejection(client.posts.reconcile(error))) as Error & { outcome: string };
    expect(thrown).toMatchObject({
      outcome: 'unknown',
      method: 'POST',
      route: '/v1/posts/',
      cause: { name: 'ConnectionError' },
    });
    expect(thrown.message).not.toContain('safe to call again');
    expect(await client.posts.reconcile(error)).toMatchObject({ status: 'created' });
  });

  it.each([401, 429, 503])('is that also where the list is refused with %i', async (status) => {
    const { client, service, lostCreate } = doubtWorld();
    const error = await lostCreate();
    service.faults.add({ route: 'GET /v1/posts/', times: 1, kind: 'status', status });
    expect(await rejection(client.posts.reconcile(error))).toMatchObject({ outcome: 'unknown', cause: { status } });
  });

  it('is nothing where the list is there again within waitMs', async () => {
    const { client, service, lostCreate } = doubtWorld();
    const error = await lostCreate();
    service.faults.add({ route: 'GET /v1/posts/', times: 3, kind: 'reset_before' });
    expect(await client.posts.reconcile(error, { waitMs: 10_000 })).toMatchObject({ status: 'created' });
  });

  it('is that after waitMs where the list never comes', async () => {
    const { client, service, waits, lostCreate } = doubtWorld();
    const error = await lostCreate();
    service.faults.add({ route: 'GET /v1/posts/', times: 1_000, kind: 'reset_before' });
    expect(await rejection(client.posts.reconcile(error, { waitMs: 10_000 }))).toMatchObject({ outcome: 'unknown' });
    expect(waits.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(10_000);
  });

  it('comes although the list hangs', async () => {
    const { client, lostCreate, intercept } = doubtWorld();
    const error = await lostCreate();
    intercept((send) => (input, init) => (isList(input, init) ? new Promise(() => undefined) : send(input, init)));
    const thrown = await withShortTimeouts(() => rejection(client.posts.reconcile(error, { waitMs: 100 })));
    expect(thrown).toMatchObject({ outcome: 'unknown', cause: { name: 'TimeoutError' } });
  });

  it('is the reason of an abort as it is', async () => {
    const { client, lostCreate } = doubtWorld();
    const error = await lostCreate();
    const reason = new Error('enough');
    const options = { signal: AbortSignal.abort(reason), waitMs: 10_000 };
    expect(await rejection(client.posts.reconcile(error, options))).toBe(reason);
  });
});
