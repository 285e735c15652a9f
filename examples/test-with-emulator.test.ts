/** How to test an application that uses this package: no network, no mocks of single calls, no waiting. */
import { outcomeOf, retryFailed, SocialPublishing, targetOf, targetResults } from 'social-publishing';
import { createEmulator } from 'social-publishing/emulator';
import { createPublisher, MemoryDurableStore, type Publisher } from 'social-publishing/publisher';
import { createWebhookReceiver } from 'social-publishing/webhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

// --- The application: it announces a product, checks the results, and repairs failures. ---

async function announce(client: SocialPublishing, product: string, at: Date): Promise<string> {
  const accounts = await client.integrations.list({ profileId: 'shop' }).toArray();
  try {
    const platforms = accounts.map(targetOf);
    return (await client.posts.create({ content: `New: ${product}`, scheduledFor: at, platforms })).postId;
  } catch (error) {
    if (outcomeOf(error) !== 'unknown') throw error;
    // It may have been created: search for it before you announce it again.
    const found = await client.posts.reconcile(error);
    if (found.status !== 'created') throw error;
    return found.post.postId;
  }
}

/** Publishes again to the failed targets, once: the key makes a second call safe. */
async function repair(client: SocialPublishing, publisher: Publisher, postId: string): Promise<void> {
  const retry = retryFailed(await client.posts.waitUntilFinal(postId));
  if (retry) await publisher.publish(`repair/${postId}`, retry.body, { extraBody: retry.extraBody });
}

// --- Its tests. ---

const secret = 'whsec_of-the-tests';

describe('announcing a product', () => {
  let service: ReturnType<typeof createEmulator>;
  let client: SocialPublishing;
  let alerts: string[];

  beforeEach(() => {
    alerts = [];
    const receiver = createWebhookReceiver({
      secret,
      on: {
        'post.partial': (event) => {
          for (const { platform, error } of targetResults(event).failed)
            alerts.push(`${String(platform)}: ${String(error)}`);
        },
      },
      now: () => service.clock.now(),
    });
    // The clock starts where you say and moves only when you say. Webhooks go straight into the receiver.
    service = createEmulator({ now: () => Date.parse('2026-03-02T09:00:00Z'), deliver: receiver.fetch });
    client = new SocialPublishing({
      baseUrl: 'https://emulator.test',
      accessKey: 'test-key',
      fetch: service.fetch,
      now: () => service.clock.now(),
    });
    service.seed.integration({ platform: 'instagram', username: 'acme', profileId: 'shop' });
    service.seed.integration({ platform: 'tiktok', username: 'acme', profileId: 'shop' });
    service.seed.integration({ platform: 'instagram', username: 'someone-else' });
    service.seed.subscription({ webhook: { url: 'https://app.test/webhooks', secret } });
  });

  afterEach(async () => {
    await service.settled(); // so that no delivery reaches the receiver of the next test
    // A fault that never applied means that the test tested nothing.
    expect(service.faults.unused()).toEqual([]);
  });

  it('publishes to the accounts of the shop at the requested time', async () => {
    await announce(client, 'a blue cup', new Date('2026-03-02T18:00:00Z'));
    await service.clock.advance({ hours: 8, minutes: 59 });
    expect(service.posts).toMatchObject([{ status: 'scheduled' }]);

    await service.clock.advance({ minutes: 1 });
    expect(service.posts).toMatchObject([
      {
        content: 'New: a blue cup',
        status: 'published',
        platforms: [{ platform: 'tiktok' }, { platform: 'instagram' }],
      },
    ]);
    expect(alerts).toEqual([]);
  });

  it('raises an alert where a platform refuses the post', async () => {
    service.publishing.outcome({ platform: 'tiktok', error: 'media rejected' });

    await announce(client, 'a red cup', new Date('2026-03-02T18:00:00Z'));
    await service.clock.advance({ days: 1 });
    expect(alerts).toEqual(['tiktok: media rejected']);
  });

  it('publishes once again where a platform refused, and nowhere else', async () => {
    service.publishing.outcome({ platform: 'tiktok', error: 'down for an hour', until: '2026-03-02T19:00:00Z' });
    const postId = await announce(client, 'a blue plate', new Date('2026-03-02T18:00:00Z'));
    await service.clock.advance({ hours: 11 });

    const publisher = createPublisher({ client, store: new MemoryDurableStore() });
    for (let run = 0; run < 2; run += 1) await repair(client, publisher, postId);
    expect(service.posts.map(({ status, platforms = [] }) => [status, platforms.length])).toEqual([
      ['partial', 2],
      ['published', 1],
    ]);
  });

  it('finds the post that was created though the reply got lost, and does not create it again', async () => {
    service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 });

    const postId = await announce(client, 'a green cup', new Date('2026-03-02T18:00:00Z'));
    expect(service.posts).toMatchObject([{ postId }]);
    expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('creates nothing blindly if the outcome is unknown', async () => {
    service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });

    await expect(announce(client, 'a red plate', new Date('2026-03-02T18:00:00Z'))).rejects.toMatchObject({
      outcome: 'unknown',
    });
    expect(service.posts).toEqual([]);
  });
});
