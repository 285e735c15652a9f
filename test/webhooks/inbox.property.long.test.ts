import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { InboxEvent } from '../../src/webhooks/index.js';
import { runs, runsTimeoutMs } from '../support/property.js';
import { setUpService } from './inbox-service.js';
import type { InboxProcess, StoreFault } from './inbox-world.js';

type Service = Awaited<ReturnType<typeof setUpService>>;

/** The events of a history in order. `process` names the affected one of the two. */
type Command =
  | { readonly kind: 'publish' | 'schedule'; readonly fails: boolean }
  | {
      readonly kind: 'deliveries';
      readonly fault: 'duplicate' | 'reorder' | 'delay' | 'timeout';
      readonly times: number;
    }
  | { readonly kind: 'listen'; readonly is: boolean }
  | {
      readonly kind: 'store';
      readonly process: number;
      readonly method: 'get' | 'insert' | 'swap';
      readonly fault: StoreFault;
    }
  | { readonly kind: 'handler'; readonly process: number; readonly does: 'fail' | 'crash' }
  | { readonly kind: 'work' | 'catchUp'; readonly process: number }
  | { readonly kind: 'pass'; readonly minutes: number };

const process = fc.nat(1);
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: fc.constantFrom('publish', 'schedule'), fails: fc.boolean() }),
  fc.record({
    kind: fc.constant('deliveries'),
    fault: fc.constantFrom('duplicate', 'reorder', 'delay', 'timeout'),
    times: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ kind: fc.constant('listen'), is: fc.boolean() }),
  fc.record({
    kind: fc.constant('store'),
    process,
    method: fc.constantFrom('get', 'insert', 'swap'),
    fault: fc.constantFrom<StoreFault>('lost before', 'lost after', 'crash before', 'crash after'),
  }),
  fc.record({ kind: fc.constant('handler'), process, does: fc.constantFrom('fail', 'crash') }),
  fc.record({ kind: fc.constantFrom('work', 'catchUp'), process }),
  fc.record({ kind: fc.constant('pass'), minutes: fc.integer({ min: 1, max: 600 }) }),
);

/** Two processes, each of which is replaced by a new one when it has crashed. */
class Processes {
  readonly #service: Service;
  readonly #now: InboxProcess[] = [];
  readonly #plans: ('fail' | 'crash')[][] = [[], []];
  readonly completed: InboxEvent[] = [];
  /** How often a process ended. Each time, handlers that were under way may run again: their ends were not noted. */
  crashes = 0;

  constructor(service: Service) {
    this.#service = service;
  }

  get(index: number): InboxProcess {
    const known = this.#now[index];
    if (known !== undefined && !known.store.isCrashed) return known;
    if (known !== undefined) this.crashes += 1;
    const created: InboxProcess = this.#service.process({
      on: {
        default: (event) => {
          const does = this.#plans[index]?.shift();
          if (does === 'crash') return created.store.crash();
          if (does === 'fail') throw new Error('planned');
          this.completed.push(event);
          return undefined;
        },
      },
    });
    this.#now[index] = created;
    return created;
  }

  plan(index: number, does: 'fail' | 'crash'): void {
    this.#plans[index]?.push(does);
  }

  heal(): void {
    for (const plan of this.#plans) plan.length = 0;
  }
}

async function run(service: Service, processes: Processes, since: Date, command: Command): Promise<void> {
  const { client, service: emulator } = service;
  switch (command.kind) {
    case 'publish':
    case 'schedule':
      if (command.fails) emulator.publishing.outcome({ platform: 'tiktok', error: 'refused', times: 1 });
      await (command.kind === 'publish' ? service.publish('text') : service.schedule('text', 3));
      await emulator.settled();
      return;
    case 'deliveries':
      emulator.deliveryFaults.add({
        kind: command.fault,
        times: command.times,
        ...(command.fault === 'delay' ? { delayMs: 7_200_000 } : {}),
      });
      return;
    case 'listen':
      service.listen(command.is);
      return;
    case 'store':
      processes.get(command.process).store.fail(command.method, command.fault);
      return;
    case 'handler':
      processes.plan(command.process, command.does);
      return;
    case 'work':
      await processes.get(command.process).work();
      return;
    case 'catchUp': {
      const { inbox, store } = processes.get(command.process);
      // A call that was lost: it is made again later.
      await Promise.race([inbox.catchUp({ client, since }).catch(() => undefined), store.crashed]);
      return;
    }
    case 'pass':
      await emulator.clock.advance({ minutes: command.minutes });
  }
}

/** No more failures, and enough time passes. */
async function comeToRest(service: Service, processes: Processes, since: Date): Promise<void> {
  const { client, service: emulator } = service;
  emulator.deliveryFaults.clear();
  service.listen(true);
  processes.heal();
  for (let round = 0; round < 8; round += 1) {
    await emulator.clock.advance({ hours: 12 });
    for (const index of [0, 1]) {
      const { inbox, store } = processes.get(index);
      await Promise.race([inbox.catchUp({ client, since }).catch(() => undefined), store.crashed]);
      await processes.get(index).work();
    }
  }
}

const few = 60;
/** How many events an inbox handles at once by default. */
const underWayAtOnce = 4;

it(
  'every final state of a post reaches a completed handler, and once unless a process ended in between',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 30 }), async (commands) => {
        const service = await setUpService();
        const processes = new Processes(service);
        const since = new Date(service.service.clock.now());
        // Both run from the start, so that deliveries find a receiver.
        for (const index of [0, 1]) processes.get(index);
        for (const one of commands) await run(service, processes, since, one);
        await comeToRest(service, processes, since);

        const told = processes.completed
          .filter(({ type }) => type !== 'post.scheduled')
          .map((event) => (event.known ? `${event.data.post.id} ${event.type}` : ''));
        const expected = service.service.posts.map(({ postId, status }) => `${postId} post.${String(status)}`);
        expect([...new Set(told)].sort()).toEqual(expected.sort());
        const mostAgain = processes.crashes * underWayAtOnce;
        expect(told.length - expected.length).toBeLessThanOrEqual(mostAgain);
        if (processes.crashes === 0) expect(told.length).toBe(expected.length);
        const ids = processes.completed.map(({ id }) => id);
        expect(ids.length - new Set(ids).size).toBeLessThanOrEqual(mostAgain);
      }),
      runs(few),
    );
  },
  runsTimeoutMs(400, few),
);
