import { ApiError, PublishError, SocialPublishing, targetResults } from 'social-publishing';
import { createEmulator, type Emulator } from 'social-publishing/emulator';
import { beforeEach, describe, expect, it } from 'vitest';

let service: Emulator;
/** The emulator's time, which stops unless a story moves it. */
let startsAt: number;
let client: SocialPublishing;

beforeEach(() => {
  service = createEmulator();
  startsAt = service.clock.now();
  client = new SocialPublishing({
    baseUrl: 'https://emulator.test',
    accessKey: 'test-key',
    fetch: service.fetch,
    strictResponses: true,
  });
});

let instagram: string;
let facebook: string;

beforeEach(() => {
  instagram = service.seed.integration({ platform: 'instagram', username: 'acme' }).id;
  facebook = service.seed.integration({ platform: 'facebook', username: 'acme' }).id;
});

const everywhere = () => [
  { platform: 'instagram' as const, accountId: instagram },
  { platform: 'facebook' as const, accountId: facebook },
];

describe('a user who publishes', () => {
  it('saves a draft, which goes nowhere', async () => {
    const draft = await client.posts.create({ content: 'Not yet', saveAsDraft: true });
    expect(draft).toMatchObject({ status: 'draft', platforms: [] });

    await service.clock.advance({ days: 30 });
    const [post] = (await client.posts.list({ status: 'draft' })).items;
    expect(post).toMatchObject({ postId: draft.postId, content: 'Not yet' });
  });

  it('reads each post once, while a new one moves the pages of the list', async () => {
    for (const content of ['1', '2', '3', '4']) {
      await client.posts.create({ content, saveAsDraft: true });
      await service.clock.advance({ seconds: 1 });
    }
    const read: (string | undefined)[] = [];
    for await (const { content } of client.posts.list({ limit: 2, sort: 'desc' })) {
      read.push(content);
      if (read.length === 2) await client.posts.create({ content: '5', saveAsDraft: true });
    }
    expect(read).toEqual(['4', '3', '2', '1']);
  });

  it('publishes now, to several accounts at once', async () => {
    const created = await client.posts.create({ content: 'Open today', publishNow: true, platforms: everywhere() });

    const { published, failed } = targetResults(created);
    expect(published.map(({ platform }) => platform)).toEqual(['instagram', 'facebook']);
    expect(failed).toEqual([]);
    expect(published[0]?.url).toMatch(/^https:/);
  });

  it('schedules a post, which is published when its time comes', async () => {
    const scheduledFor = new Date(startsAt + 3_600_000);
    const { postId, status } = await client.posts.create({
      content: 'In an hour',
      scheduledFor,
      platforms: everywhere(),
    });
    expect(status).toBe('scheduled');

    const statusNow = async () => (await client.posts.list().toArray()).find((post) => post.postId === postId)?.status;
    await service.clock.advance({ minutes: 59 });
    expect(await statusNow()).toBe('scheduled');
    await service.clock.advance({ minutes: 1 });
    expect(await statusNow()).toBe('published');
  });

  it('sends the fields that the API document names but does not describe by extraBody', async () => {
    await client.posts.create({ content: 'Grüße', saveAsDraft: true }, { extraBody: { timezone: 'Europe/Berlin' } });
    expect((await client.posts.list()).items).toMatchObject([{ content: 'Grüße', timezone: 'Europe/Berlin' }]);
  });
});

describe('a user whose post failed on one platform', () => {
  beforeEach(() => {
    service.publishing.outcome({ platform: 'facebook', error: 'The page was removed.' });
  });

  it('learns the platform from the reply, which is not an error', async () => {
    const created = await client.posts.create({ content: 'Hello', publishNow: true, platforms: everywhere() });
    expect(created.status).toBe('partial');

    const results = targetResults(created);
    expect(results.published).toMatchObject([{ platform: 'instagram' }]);
    expect(results.failed).toMatchObject([{ platform: 'facebook', error: 'The page was removed.' }]);
  });

  it('or asks for an error unless all targets were published', async () => {
    const created = await client.posts.create({ content: 'Hello', publishNow: true, platforms: everywhere() });
    expect(() => {
      targetResults(created).assertAllPublished();
    }).toThrow(PublishError);
  });
});

describe('a user who searches for posts', () => {
  beforeEach(() => {
    for (let day = 0; day < 45; day += 1) {
      service.seed.post({
        content: `Day ${String(day)}`,
        status: day === 7 ? 'failed' : 'published',
        createdAt: new Date(startsAt - day * 86_400_000).toISOString(),
        platforms: [{ platform: day % 2 === 0 ? 'instagram' : 'facebook' }],
      });
    }
  });

  it('reads the first page, newest first, and how many there are in all', async () => {
    const page = await client.posts.list();
    expect(page.items).toHaveLength(20);
    expect(page.items[0]?.content).toBe('Day 0');
    expect(page.response.total).toBe(45);
  });

  it('walks over all of them without thinking of pages', async () => {
    const contents: (string | undefined)[] = [];
    for await (const post of client.posts.list({ limit: 10 })) contents.push(post.content);
    expect(contents).toEqual(Array.from({ length: 45 }, (_, day) => `Day ${String(day)}`));
  });

  it('filters by status, platform and time', async () => {
    expect((await client.posts.list({ status: 'failed' })).items).toMatchObject([{ content: 'Day 7' }]);

    const lastWeek = await client.posts
      .list({ platform: ['facebook'], createdAfter: new Date(startsAt - 6.5 * 86_400_000) })
      .toArray();
    expect(lastWeek.map(({ content }) => content)).toEqual(['Day 1', 'Day 3', 'Day 5']);
  });
});

describe('a user who edits a post', () => {
  it('replaces the text and the accounts of a scheduled post', async () => {
    const scheduledFor = new Date(startsAt + 3_600_000);
    const { postId } = await client.posts.create({ content: 'Oops', scheduledFor, platforms: everywhere() });

    const [onlyHere] = everywhere();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the service deprecates it, and documents no successor
    await client.posts.updateScheduled(postId, { content: 'Better', platforms: onlyHere ? [onlyHere] : [] });

    await service.clock.advance({ hours: 1 });
    expect((await client.posts.list()).items).toMatchObject([
      { content: 'Better', status: 'published', platforms: [{ platform: 'instagram' }] },
    ]);
  });
});

describe('a user whose connection broke during a create', () => {
  it('finds the result before trying again, so that nothing is published twice', async () => {
    service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/' });
    const error: unknown = await client.posts
      .create({ content: 'Once', publishNow: true, platforms: everywhere() })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ outcome: 'unknown' });

    const result = await client.posts.reconcile(error);
    expect(result).toMatchObject({ status: 'created', post: { content: 'Once' } });
    expect(service.posts).toHaveLength(1);
  });
});

describe('a user with an invalid request', () => {
  it('hears of it before anything is sent, where the API document says so', async () => {
    await expect(client.posts.list({ limit: 1000 })).rejects.toThrow(/limit/);
    expect(service.requests).toEqual([]);
  });

  it("and in the service's words, where only the service can know", async () => {
    const nobody = [{ platform: 'instagram' as const, accountId: 'nobody' }];
    const error: unknown = await client.posts
      .create({ content: 'Hello', publishNow: true, platforms: nobody })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ outcome: 'rejected' });
  });
});
