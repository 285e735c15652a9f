/**
 * A process of this version or of release 0.2.0, which the test bundles from the sources of that release. It runs until it
 * is killed. Argument: a {@link BesideTask} as JSON.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SocialPublishing } from '../../../src/index.js';
import { createPublisher } from '../../../src/publisher/create-publisher.js';
import { createWebhookInbox } from '../../../src/webhooks/index.js';
import { openStore, type StoreSpec } from '../open-store.js';

export interface BesideTask {
  /** `settle`: ends once every intent is final or held. */
  readonly job: 'publish' | 'receive' | 'settle';
  readonly spec: StoreSpec;
  readonly baseUrl: string;
  readonly accountId: string;
  readonly secret: string;
  readonly keys: readonly string[];
}

/** A message of such a process. */
export interface BesideReport {
  readonly port?: number;
  /** The key of an intent that a call of this process has returned. */
  readonly published?: string;
  /** Whether this process sent it. */
  readonly isNew?: boolean;
  readonly handled?: string;
  readonly intent?: { readonly key: string; readonly state: string; readonly postId?: string | undefined };
}

const { job, spec, baseUrl, accountId, secret, keys } = JSON.parse(process.argv[2] ?? '') as BesideTask;
const report = (line: BesideReport) => process.send?.(line);
// Not to be left behind by a test that was stopped.
process.on('disconnect', () => process.exit());

const store = await openStore(spec);
const client = new SocialPublishing({ baseUrl, accessKey: 'test-key', maxRetries: 0 });
const publisher = createPublisher({ client, store, leaseMs: 2_000 });

if (job === 'receive') receive();
else if (job === 'publish') for (;;) await publishAll();
else {
  await settle();
  await store.close?.();
  process.disconnect();
}

async function publishAll(): Promise<void> {
  for (const key of [...keys].sort(() => Math.random() - 0.5)) {
    const { replayed } = await publisher.publish(key, {
      content: key,
      publishNow: true,
      platforms: [{ platform: 'bluesky', accountId }],
    });
    report({ published: key, isNew: !replayed });
    if (Math.random() < 0.1) await publisher.sweep({ limit: 10 });
  }
}

function receive(): void {
  const handle = (event: { readonly id: string }) => {
    report({ handled: event.id });
  };
  const inbox = createWebhookInbox({ secret, store, on: { default: handle } });
  inbox.start({ pollMs: 50 });
  const server = http
    .createServer((request, response) => void inbox.node(request, response))
    .listen(0, '127.0.0.1', () => {
      report({ port: (server.address() as AddressInfo).port });
    });
}

/** Leases end after 2 s. A search that finds nothing holds an intent that was never sent. */
async function settle(): Promise<void> {
  for (const key of keys) {
    for (;;) {
      const { state, postId, lookup } = await publisher.resume(key);
      const isHeld = state === 'in_doubt' && lookup?.result === 'no_match';
      if (isHeld || ['published', 'failed', 'rejected'].includes(state)) {
        report({ intent: { key, state, postId } });
        break;
      }
      await sleep(200);
    }
  }
}
