import { describe, expect, it, vi } from 'vitest';
import { signWebhook, type WebhookReceiverOptions } from '../../src/webhooks/index.js';
import { eventually } from '../support/eventually.js';
import { holdTimeouts } from '../support/held-timeouts.js';
import { setUp } from './recording-receiver.js';
import { published, secret } from './verify-suite.js';

type Store = NonNullable<WebhookReceiverOptions['store']>;
type Recording = ReturnType<typeof setUp>;

/** A store of a receiver. */
export interface ReceiverStoreSetup {
  readonly store: Store;
  /** The same data as another process sees it. */
  readonly other: Store;
  /** The clock of the receivers. */
  readonly now: () => number;
  /** Lets time pass for the receivers and the store. */
  readonly pass: (ms: number) => Promise<void> | void;
}

let events = 0;
/** Returns an event that no other test uses: tests can share a database. */
const newEvent = () => ({ ...published, id: `evt_${String(Date.now())}_${String((events += 1))}` });

/** One attempt of the service at a delivery: the status of the response. */
async function deliver({ receiver }: Recording, event: object, signedWith = secret): Promise<number> {
  const body = JSON.stringify(event);
  const headers = await signWebhook({ body, secret: signedWith });
  return (await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', body, headers }))).status;
}

/** A handler that runs until the test ends it. */
function slowHandler() {
  const ends: (() => void)[] = [];
  const handler = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
  return {
    handler,
    started: () =>
      eventually(() => {
        expect(handler).toHaveBeenCalled();
      }),
    end: () => {
      for (const end of ends) end();
    },
  };
}

/** The behaviour of a receiver over one kind of store. */
export function describeReceiver(name: string, open: () => ReceiverStoreSetup | Promise<ReceiverStoreSetup>): void {
  /** A slow machine must not meet the default `ackTimeoutMs`, which other tests check. */
  const withoutAckTimeout = () => holdTimeouts(8_000);

  const setUpTwo = async (options: Partial<WebhookReceiverOptions> = {}) => {
    const { store, other, now, pass } = await open();
    const start = (on: Store, change: Partial<WebhookReceiverOptions> = {}) =>
      setUp({ store: on, toleranceSeconds: false, now, ...options, ...change });
    return { one: start(store), two: start(other), start, store, pass };
  };

  describe(`a webhook receiver on ${name}`, () => {
    it('handles each event ID once, in any process', async () => {
      const { one, two } = await setUpTwo();
      const [event, another] = [newEvent(), newEvent()];
      for (const receiver of [one, two, one]) expect(await deliver(receiver, event)).toBe(200);
      expect(await deliver(two, another)).toBe(200);
      expect([one.handled.length, two.handled.map(({ id }) => id)]).toEqual([1, [another.id]]);
      expect([...one.errors, ...two.errors]).toEqual([]);
    });

    it('handles one of many simultaneous deliveries, and refuses the others', async () => {
      withoutAckTimeout();
      const slow = slowHandler();
      const { one, two } = await setUpTwo({ on: { default: slow.handler } });
      const event = newEvent();
      const statuses: number[] = [];
      const deliveries = Array.from({ length: 20 }, async (_, i) => {
        statuses.push(await deliver(i % 2 === 0 ? one : two, event));
      });
      await eventually(() => {
        expect(statuses).toHaveLength(19);
      });
      expect(statuses).toEqual(Array.from({ length: 19 }, () => 503));
      // The others can be refused before the handler of the first one begins.
      await slow.started();
      slow.end();
      await Promise.all(deliveries);
      expect(statuses[19]).toBe(200);
      expect(slow.handler).toHaveBeenCalledTimes(1);
    });

    it('refuses an attempt in another process while the handler runs, and acknowledges it afterwards', async () => {
      withoutAckTimeout();
      const slow = slowHandler();
      const { one, two } = await setUpTwo({ on: { default: slow.handler } });
      const event = newEvent();
      const first = deliver(one, event);
      await slow.started();
      expect([await deliver(one, event), await deliver(two, event)]).toEqual([503, 503]);
      slow.end();
      expect(await first).toBe(200);
      expect([await deliver(one, event), await deliver(two, event)]).toEqual([200, 200]);
      expect(slow.handler).toHaveBeenCalledTimes(1);
    });

    it('releases an event whose handler throws: the next attempt is handled, in any process', async () => {
      const handler = vi.fn().mockRejectedValueOnce(new Error('boom')).mockRejectedValueOnce(new Error('boom'));
      const { one, two } = await setUpTwo({ on: { default: handler } });
      const event = newEvent();
      const statuses = [await deliver(one, event), await deliver(two, event), await deliver(one, event)];
      expect(statuses).toEqual([500, 500, 200]);
      expect(await deliver(two, event)).toBe(200);
      expect(handler).toHaveBeenCalledTimes(3);
    });

    it('handles an event again after a crash, not before its lease has expired', async () => {
      const crashed = slowHandler();
      const { one, two, start, store, pass } = await setUpTwo({ leaseMs: 400, on: { default: crashed.handler } });
      const event = newEvent();
      void deliver(one, event);
      await crashed.started();
      expect(await deliver(two, event)).toBe(503);
      await pass(450);
      const next = start(store, { on: { default: () => undefined } });
      expect(await deliver(next, event)).toBe(200);
      expect(await deliver(two, event)).toBe(200);
      expect(crashed.handler).toHaveBeenCalledTimes(1);
    });

    it('handles an event once in a process that lives, whatever its lease', async () => {
      const slow = slowHandler();
      const { one, pass } = await setUpTwo({ leaseMs: 100, on: { default: slow.handler } });
      const event = newEvent();
      const first = deliver(one, event);
      await slow.started();
      await pass(150);
      expect(await deliver(one, event)).toBe(503);
      slow.end();
      expect(await first).toBe(200);
      expect(await deliver(one, event)).toBe(200);
      expect(slow.handler).toHaveBeenCalledTimes(1);
    });

    it('counts an event as handled even if its handler outlasted the lease', async () => {
      const slow = slowHandler();
      const { one, two, pass } = await setUpTwo({ leaseMs: 100, on: { default: slow.handler } });
      const event = newEvent();
      const first = deliver(one, event);
      await slow.started();
      await pass(150);
      const second = deliver(two, event);
      await eventually(() => {
        expect(slow.handler).toHaveBeenCalledTimes(2);
      });
      slow.end();
      expect([await first, await second]).toEqual([200, 200]);
      expect(await deliver(two, event)).toBe(200);
      expect(slow.handler).toHaveBeenCalledTimes(2);
    });

    it('does not release an event that another process claimed after the lease', async () => {
      const failing = slowHandler();
      const slow = slowHandler();
      const { one, start, store, pass } = await setUpTwo({ leaseMs: 100 });
      const event = newEvent();
      const late = start(store, {
        on: {
          default: async () => {
            await failing.handler();
            throw new Error('late');
          },
        },
      });
      const first = deliver(late, event);
      await failing.started();
      await pass(150);
      const next = start(store, { leaseMs: 60_000, on: { default: slow.handler } });
      const second = deliver(next, event);
      await slow.started();
      failing.end();
      expect(await first).toBe(500);
      expect(await deliver(one, event)).toBe(503);
      slow.end();
      expect(await second).toBe(200);
      expect(one.handled).toEqual([]);
    });

    it('handles an event for each of two apps', async () => {
      const { one, start, store } = await setUpTwo();
      const app = start(store, { secret: 'whsec_of_another_app' });
      const event = newEvent();
      expect([await deliver(one, event), await deliver(app, event, 'whsec_of_another_app')]).toEqual([200, 200]);
      expect([await deliver(one, event), await deliver(app, event, 'whsec_of_another_app')]).toEqual([200, 200]);
      expect([one.handled.length, app.handled.length]).toEqual([1, 1]);
    });

    it('recognises an event by any of its secrets during a rotation', async () => {
      const { one, start, store } = await setUpTwo();
      const next = 'whsec_after_the_rotation';
      const both = start(store, { secret: [next, secret] });
      const after = start(store, { secret: next });
      const [before, during] = [newEvent(), newEvent()];
      expect([await deliver(one, before), await deliver(both, before)]).toEqual([200, 200]);
      expect([await deliver(both, during), await deliver(one, during)]).toEqual([200, 200]);
      expect(await deliver(after, during, next)).toBe(200);
      expect([one.handled.length, both.handled.length, after.handled.length]).toEqual([1, 1, 0]);
    });

    it('counts a secret that is given twice once', async () => {
      const { start, store } = await setUpTwo();
      const twice = start(store, { secret: [secret, secret] });
      const event = newEvent();
      expect([await deliver(twice, event), await deliver(twice, event)]).toEqual([200, 200]);
      expect(twice.handled).toHaveLength(1);
    });

    it.each(['a b', 'a/b', 'é', 'x'.repeat(10_000), 'nul\u0000', 'lone\ud800', '~', '__proto__', '..', '%2e', '{a}'])(
      'handles an event with the ID %j',
      async (suffix) => {
        const { one, two } = await setUpTwo();
        const event = { ...newEvent() };
        event.id += suffix;
        expect([await deliver(one, event), await deliver(two, event)]).toEqual([200, 200]);
        expect([...one.handled, ...two.handled].map(({ id }) => id)).toEqual([event.id]);
      },
    );
  });
}
