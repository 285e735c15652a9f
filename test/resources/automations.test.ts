import { responseOf, type SocialPublishing } from 'social-publishing';
import type { Emulator } from 'social-publishing/emulator';
import { beforeEach, describe, expect, it } from 'vitest';
import { everydayWorld } from './everyday-world.js';

let service: Emulator;
let client: SocialPublishing;
beforeEach(() => {
  ({ service, client } = everydayWorld({}, { strictResponses: true }));
});

let accountId: string;

beforeEach(() => {
  accountId = service.seed.integration({ platform: 'instagram' }).id;
});

describe('a user who automates replies to comments', () => {
  it('searches for a post to watch', async () => {
    service.seed.eligiblePost({ accountId, caption: 'Win a mug' });
    service.seed.eligiblePost({ accountId, caption: 'Our new shop' });

    const posts = await client.automations.listEligiblePosts({ accountId }).toArray();
    expect(posts.map(({ caption }) => caption).sort()).toEqual(['Our new shop', 'Win a mug']);
  });

  it('reads the reply of the list, and of each of its items', async () => {
    await client.automations.create({ accountId, name: 'Mugs', postScope: 'any', keywords: ['mug'], dmMessage: 'Hi' });
    const automations = await client.automations.list();
    expect([automations, ...automations].map((part) => responseOf(part)?.status)).toEqual([200, 200]);
  });

  it('sets up the keywords and the answers', async () => {
    const automation = await client.automations.create({
      accountId,
      name: 'Mugs',
      postScope: 'any',
      keywords: ['mug'],
      publicReplies: ['Look into your messages!'],
      dmMessage: 'Here is your code: MUG10',
    });

    expect(automation).toMatchObject({
      accountId,
      name: 'Mugs',
      trigger: { keywords: ['mug'] },
      actions: { publicReplies: ['Look into your messages!'], dmMessage: 'Here is your code: MUG10' },
    });
    expect(await client.automations.list({ accountId })).toMatchObject([{ id: automation.id, status: 'active' }]);
  });

  it('sees its results and its errors', async () => {
    const { id } = service.seed.automation({ accountId, name: 'Mugs' });
    service.seed.automationLog({ automationId: id, status: 'succeeded', commentText: 'A mug, please' });
    service.seed.automationLog({ automationId: id, status: 'failed', error: 'The person takes no messages.' });

    const [automation] = await client.automations.list();
    expect(automation?.stats).toMatchObject({ triggered: 2, succeeded: 1, failed: 1 });

    const failures = await client.automations.listLogs(id, { status: 'failed' }).toArray();
    expect(failures).toMatchObject([{ error: 'The person takes no messages.' }]);
  });
});
