import { describe, expect, it } from 'vitest';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import type { DurableStore } from '../../src/stores/store.js';
import { createWebhookInbox } from '../../src/webhooks/inbox/inbox.js';
import { signWebhook } from '../../src/webhooks/verify/signatures.js';
import rows from './rows-of-0.2.0.json' with { type: 'json' };

/** One item as release 0.2.0 wrote it. */
export type OldRow = (typeof rows)[number];

const now = () => Date.parse('2026-05-01T09:01:00Z');

/** Rows that release 0.2.0 wrote: a publisher and an inbox continue with them, and nothing is sent or handled twice. */
export function describeOldRows(name: string, open: (rows: readonly OldRow[]) => Promise<DurableStore>): void {
  describe(`${name} with rows of release 0.2.0`, () => {
    it('reads and swaps them by the versions of 0.2.0', async () => {
      const store = await open(rows);
      expect(await store.scan('', undefined, 100)).toEqual(
        rows.map(({ key, version, data }) => ({ key, version, data })),
      );
      const waking = rows.flatMap(({ key, wakeAt }) => (wakeAt === null ? [] : [key]));
      expect((await store.due('', 2e12, 100)).sort()).toEqual(waking.sort());
      for (const { key, version, data } of rows) {
        expect(await store.get(key)).toEqual({ version, data });
        expect(await store.insert(key, 'other', null)).toBeUndefined();
        const next = await store.swap(key, version, 'new', null);
        expect(next).toBeGreaterThan(version);
        expect(await store.get(key)).toEqual({ version: next, data: 'new' });
        expect(await store.swap(key, version, 'late', null)).toBeUndefined();
      }
    });

    it('publishes nothing twice', async () => {
      const store = await open(rows);
      let posts = 0;
      const client = {
        posts: {
          create: () => {
            posts += 1;
            return Promise.resolve({ success: true, postId: `post_new_${String(posts)}`, status: 'scheduled' });
          },
          list: () => ({ pages: async function* () {} }),
        },
      };
      const publisher = createPublisher({ client, store, now });
      const publish = (key: string) =>
        publisher.publish(key, {
          content: key,
          scheduledFor: '2026-05-02T09:00:00Z',
          platforms: [{ platform: 'bluesky', accountId: 'integration_1' }],
        });
      expect(await publish('accepted')).toMatchObject({ state: 'accepted', postId: 'post_1', replayed: true });
      expect(await publish('doubt')).toMatchObject({ state: 'in_doubt', replayed: true });
      expect(posts).toBe(0);
      expect(await publish('ready')).toMatchObject({ state: 'accepted', postId: 'post_new_1', replayed: true });
      expect(posts).toBe(1);
      await expect(publisher.resolve('rejected', { as: 'published', postId: 'post_1' })).rejects.toThrow(
        /another intent/,
      );
      await publisher.resolve('rejected', { as: 'abandoned' });
      expect((await publisher.get('rejected'))?.state).toBe('abandoned');
    });

    it('handles each event once', async () => {
      const handled: string[] = [];
      const inbox = createWebhookInbox({
        secret: 's',
        store: await open(rows),
        now,
        on: { default: (event) => handled.push(event.id) },
      });
      const deliver = async (id: string) => {
        const body = JSON.stringify({ id, type: 'post.published', data: {} });
        const headers = await signWebhook({ body, secret: 's', timestamp: now() / 1000 });
        return (await inbox.fetch(new Request('https://inbox.test/', { method: 'POST', body, headers }))).status;
      };
      expect(await deliver('evt_done')).toBe(200);
      expect(await deliver('evt_waiting')).toBe(200);
      const dead: string[] = [];
      for await (const { id } of inbox.dead()) dead.push(id);
      expect(dead).toEqual(['evt_dead']);
      await inbox.replay('evt_dead');
      const worker = inbox.start({ pollMs: 10 });
      await expect.poll(() => handled.length).toBe(2);
      await worker.stop();
      expect(handled.sort()).toEqual(['evt_dead', 'evt_waiting']);
    });
  });
}
