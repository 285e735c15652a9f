/* eslint-disable @typescript-eslint/unbound-method -- callers pass these functions on without their object */
import { describe, expect, it } from 'vitest';
import { createEmulator, type EmulatorFaults } from '../../src/emulator/index.js';

describe('the controls of an emulator', () => {
  it('work without their object, as in `now: service.clock.now`', async () => {
    const service = createEmulator({ now: () => Date.UTC(2027, 0, 1) });
    const { now, advance } = service.clock;
    await advance({ hours: 1 });
    expect(now()).toBe(Date.UTC(2027, 0, 1, 1));

    const { outcome, outcomes, reset } = service.publishing;
    outcome({ platform: 'bluesky', error: 'Refused.' });
    expect(outcomes()).toHaveLength(1);
    reset();
    expect(outcomes()).toEqual([]);

    expectUnbound(service.faults, { kind: 'latency', latencyMs: 1 });
    expectUnbound(service.deliveryFaults, { kind: 'lost' });
  });

  it('show only documented functions, for example in a log', () => {
    const { clock, publishing, faults, deliveryFaults } = createEmulator();
    expect(Object.keys(clock).sort()).toEqual(['advance', 'now', 'pause', 'run', 'set', 'step']);
    expect(Object.keys(publishing).sort()).toEqual(['duration', 'list', 'outcome', 'outcomes', 'remove', 'reset']);
    for (const control of [faults, deliveryFaults])
      expect(Object.keys(control).sort()).toEqual(['add', 'clear', 'list', 'remove', 'unused']);
  });

  it('have fields that follow the clock', async () => {
    const { clock } = createEmulator();
    const stop = clock.run({ speed: 3 });
    expect([clock.running, clock.speed]).toEqual([true, 3]);
    stop();
    expect(clock.running).toBe(false);
    await clock.step();
    expect(clock.nextDue).toBeUndefined();
  });
});

function expectUnbound<Fault>({ add, list, unused, clear }: EmulatorFaults<Fault>, fault: Fault): void {
  add(fault);
  expect([list().length, unused().length]).toEqual([1, 1]);
  clear();
  expect(list()).toEqual([]);
}
