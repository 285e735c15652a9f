import type { SocialPublishing } from 'social-publishing';
import type { Emulator } from 'social-publishing/emulator';
import { beforeEach, describe, expect, it } from 'vitest';
import { everydayWorld, start as startsAt } from './everyday-world.js';

let service: Emulator;
let client: SocialPublishing;
beforeEach(() => {
  ({ service, client } = everydayWorld({}, { strictResponses: true }));
});

let page: string;
const postId = 'facebook_post';

beforeEach(() => {
  page = service.seed.integration({ platform: 'facebook' }).id;
  for (let minute = 0; minute < 30; minute += 1) {
    service.seed.comment({
      accountId: page,
      postId,
      text: `Comment ${String(minute)}`,
      timestamp: new Date(startsAt - minute * 60_000).toISOString(),
      replies: minute === 0 ? [{ text: 'Thank you!' }] : [],
    });
  }
});

describe('a user who reads the comments of a post', () => {
  it('gets the newest comments, each with its replies', async () => {
    const { items } = await client.comments.list({ platform: 'facebook', accountId: page, postId });
    expect(items).toHaveLength(25);
    expect(items[0]).toMatchObject({ text: 'Comment 0', replies: [{ text: 'Thank you!' }] });
  });

  it('reads on where the last page ended, whatever was said meanwhile', async () => {
    const first = await client.comments.list({ platform: 'facebook', accountId: page, postId });
    service.seed.comment({ accountId: page, postId, text: 'Just now' });

    const second = await first.nextPage();
    expect(second?.items.map(({ text }) => text)).toEqual([25, 26, 27, 28, 29].map((n) => `Comment ${String(n)}`));
    expect(await second?.nextPage()).toBeUndefined();
  });

  it('collects all of them', async () => {
    const all = await client.comments.list({ platform: 'facebook', accountId: page, postId }).toArray();
    expect(all).toHaveLength(30);
  });
});

it('a user who names a platform without comments gets the supported platforms, before anything is sent', async () => {
  // @ts-expect-error the compiler says so too
  const list = client.comments.list({ platform: 'tiktok', accountId: page, postId });
  await expect(list).rejects.toThrow(/facebook/);
  expect(service.requests).toEqual([]);
});
