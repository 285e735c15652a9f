import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { createEmulator, type RequestFault } from '../../src/emulator/index.js';
import { SocialPublishing, type PublishPostBody } from '../../src/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import type { CrashPoint as Point } from './crash-points.js';
import { openStore, type StoreSpec } from '../stores/open-store.js';
import { dieIn } from './die-in.js';

export interface KillTask {
  readonly spec: StoreSpec;
  readonly baseUrl: string;
  /** `request`: the test kills it once the request is there. */
  readonly dieAt: Point | 'request';
  readonly leaseMs: number;
  readonly body: PublishPostBody;
}

const leaseMs = 300;

interface CrashPoint {
  readonly name: string;
  readonly dieAt: KillTask['dieAt'];
  readonly fault?: RequestFault;
  /** The state after another process has swept. */
  readonly posts: 0 | 1;
  readonly state: 'accepted' | 'in_doubt' | 'nothing';
}

const lost: RequestFault = { kind: 'reset_after_commit', route: 'POST /v1/posts/', times: 1 };
const never: RequestFault = { kind: 'timeout', route: 'POST /v1/posts/', times: 1 };

const points: readonly CrashPoint[] = [
  { name: 'before the mark', dieAt: 'mark', posts: 0, state: 'nothing' },
  { name: 'after the mark, before the request', dieAt: 'marked', posts: 0, state: 'in_doubt' },
  { name: 'while the request is under way, not received', dieAt: 'request', fault: never, posts: 0, state: 'in_doubt' },
  {
    name: 'once it was carried out, the reply lost',
    dieAt: 'request',
    fault: { ...never, commit: true },
    posts: 1,
    state: 'accepted',
  },
  { name: 'the reply read', dieAt: 'replied', posts: 1, state: 'accepted' },
  { name: 'its post claimed', dieAt: 'claimed', posts: 1, state: 'accepted' },
  { name: 'the outcome noted', dieAt: 'noted', posts: 1, state: 'accepted' },
  { name: 'about to look for the post', dieAt: 'looking', fault: lost, posts: 1, state: 'accepted' },
  { name: 'the post seen, and not noted', dieAt: 'looked', fault: lost, posts: 1, state: 'accepted' },
];

/** A process is killed (SIGKILL) at each point of a publish; then another one takes over. */
export function describeKills(name: string, openSpec: () => StoreSpec): void {
  describe(`a publisher over ${name} that is killed`, () => {
    it.each(points)('$name', async ({ dieAt, fault, posts, state }) => {
      const service = createEmulator({ now: () => Date.now() });
      const { id: accountId } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
      if (fault !== undefined) service.faults.add(fault);
      const served = await serveEmulator(service, { realTime: true });
      const spec = openSpec();
      const store = await openStore(spec);
      await store.setup?.();
      const body: PublishPostBody = {
        content: 'Hello',
        publishNow: true,
        platforms: [{ platform: 'bluesky', accountId }],
      };
      const task: KillTask = { spec, baseUrl: served.url, dieAt, leaseMs, body };
      await dieIn('test/publisher/killed-process.ts', task, () => service.requests.length > 0);

      const client = new SocialPublishing({ baseUrl: served.url, accessKey: 'test-key' });
      const publisher = createPublisher({ client, store, leaseMs });
      await sleep(leaseMs);
      await publisher.sweep();
      // An intent that was recorded as in doubt is searched for after a pause; an operator need not wait for it.
      if ((await publisher.get('key')) !== undefined) await publisher.resume('key');
      // A post that is published at once may already be checked.
      const seen = (await publisher.get('key'))?.state ?? 'nothing';
      expect(seen === 'published' ? 'accepted' : seen).toBe(state);
      expect(service.posts).toHaveLength(posts);

      // The same call again: only an intent that never began is sent.
      const again = await publisher.publish('key', body);
      expect(service.posts).toHaveLength(state === 'nothing' ? 1 : posts);
      if (posts === 1) expect(again.postId).toBe(service.posts[0]?.postId);
      await store.close?.();
      await served.close();
    });
  });
}
