import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { createEmulator, type RequestFault } from '../../src/emulator/index.js';
import { outcomeOf, SocialPublishing } from '../../src/index.js';
import { createOnce } from '../../src/publisher/once.js';
import type { DurableStore } from '../../src/stores/store.js';
import { openStore, type StoreSpec } from '../stores/open-store.js';
import { dieIn } from './die-in.js';
import { onceMessage, steppingStore, type OnceStep } from './once-steps.js';

export interface OnceKillTask {
  readonly spec: StoreSpec;
  readonly baseUrl: string;
  /** `request`: the test kills it once the request is there. */
  readonly dieAt: OnceStep | 'request';
}

const never: RequestFault = { kind: 'timeout', route: 'POST /v1/messages/', times: 1 };

interface KillPoint {
  readonly name: string;
  readonly dieAt: OnceKillTask['dieAt'];
  readonly fault?: RequestFault;
  /** What the next call with the key finds. */
  readonly then: 'free' | 'held' | 'replayed';
  /** The messages at the service by then. */
  readonly sent: 0 | 1;
}

const points: readonly KillPoint[] = [
  { name: 'before the mark', dieAt: 'mark', then: 'free', sent: 0 },
  { name: 'after the mark, before the request', dieAt: 'marked', then: 'held', sent: 0 },
  { name: 'while the request is under way, not received', dieAt: 'request', fault: never, then: 'held', sent: 0 },
  {
    name: 'once it was executed, the reply lost',
    dieAt: 'request',
    fault: { ...never, commit: true },
    then: 'held',
    sent: 1,
  },
  { name: 'the reply read, the result not stored', dieAt: 'replied', then: 'held', sent: 1 },
  { name: 'the result stored', dieAt: 'stored', then: 'replayed', sent: 1 },
];

/** A process is killed (SIGKILL) at each step of a call, then others make the same call. A store in memory dies with its process. */
export function describeOnceKills(name: string, openSpec: () => StoreSpec): void {
  describe(`createOnce over ${name} that is killed`, () => {
    it.each(points)('$name', async ({ dieAt, fault, then, sent }) => {
      const service = createEmulator({ accessKey: 'test-key', now: () => Date.now() });
      service.seed.integration({ platform: 'instagram', username: 'acme' });
      if (fault !== undefined) service.faults.add(fault);
      const served = await serveEmulator(service, { realTime: true });
      const spec = openSpec();
      const store = await openStore(spec);
      await store.setup?.();
      const task: OnceKillTask = { spec, baseUrl: served.url, dieAt };
      const hasArrived = () => service.requests.length > 0;
      await (spec.kind === 'memory'
        ? hangIn(task, store, hasArrived)
        : dieIn('test/publisher/once-killed-process.ts', task, hasArrived));

      const client = new SocialPublishing({ baseUrl: served.url, accessKey: 'test-key' });
      const { accountId, platform } = onceMessage;
      const executed = async () => {
        const [conversation] = await client.messages.listConversations({ platform, accountId }).toArray();
        if (conversation === undefined) return 0;
        return (await client.messages.list(conversation.id, { platform, accountId }).toArray()).length;
      };
      const posted = () => service.requests.filter(({ method }) => method === 'POST').length;
      expect(await executed()).toBe(sent);
      const once = createOnce({ store });
      const send = () => once('reply/1', onceMessage, (body) => client.messages.send(body));
      const received = posted();
      if (then === 'held') {
        for (let run = 0; run < 2; run += 1)
          expect(outcomeOf(await send().catch((error: unknown) => error))).toBe('unknown');
        expect(posted()).toBe(received);
        await once.resolve('reply/1', sent === 1 ? { as: 'done' } : { as: 'not_sent' });
      }
      expect((await send()).replayed).toBe(sent === 1);
      expect((await send()).replayed).toBe(true);
      expect(await executed()).toBe(1);
      await store.close?.();
      await served.close();
    });
  });
}

/** Makes the call in this process, and leaves it at the step. */
async function hangIn({ baseUrl, dieAt }: OnceKillTask, store: DurableStore, hasArrived: () => boolean): Promise<void> {
  const client = new SocialPublishing({ baseUrl, accessKey: 'test-key' });
  const reached = new Promise<void>((resolve) => {
    const hang = (step: OnceStep) => {
      if (step !== dieAt) return undefined;
      resolve();
      return new Promise<never>(() => undefined);
    };
    const call = createOnce({ store: steppingStore(store, hang) });
    // If the server ends, nothing of it may reach the store.
    const send = (body: typeof onceMessage) =>
      client.messages.send(body).catch(() => new Promise<never>(() => undefined));
    void call('reply/1', onceMessage, send);
  });
  if (dieAt !== 'request') return reached;
  while (!hasArrived()) await sleep(10);
}
