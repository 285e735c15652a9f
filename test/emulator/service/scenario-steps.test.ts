import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { start } from '../world.js';

const hourMs = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

function planned() {
  const service = createEmulator({ now: () => start });
  service.scenario([
    { at: { hours: 3 }, seed: { integrations: [{ platform: 'bluesky' }] } },
    { at: { hours: 1 }, outcomes: { platform: 'tiktok', error: 'down' } },
    { at: { hours: 2 }, faults: { kind: 'status', status: 503 } },
  ]);
  return service;
}

describe('the planned steps of a scenario', () => {
  it('are listed in the order in which they happen, until they happen', async () => {
    const service = planned();
    expect(service.scenarios.list().map(({ at, step }) => ({ at, step }))).toEqual([
      { at: iso(start + hourMs), step: { outcomes: { platform: 'tiktok', error: 'down' } } },
      { at: iso(start + 2 * hourMs), step: { faults: { kind: 'status', status: 503 } } },
      { at: iso(start + 3 * hourMs), step: { seed: { integrations: [{ platform: 'bluesky' }] } } },
    ]);
    await service.clock.advance({ hours: 1 });
    expect(service.scenarios.list()).toHaveLength(2);
  });

  it('are removed one by one, and a removed step never happens', async () => {
    const service = planned();
    const [first] = service.scenarios.list();
    expect(service.scenarios.remove(first?.id ?? '')).toBe(true);
    expect(service.scenarios.remove(first?.id ?? '')).toBe(false);
    expect(service.scenarios.remove('step_0')).toBe(false);
    await service.clock.advance({ hours: 4 });
    expect(service.publishing.outcomes()).toEqual([]);
    expect(service.faults.list()).toHaveLength(1);
  });

  it('have the same IDs in a saved state, and no other job is a step', () => {
    const service = planned();
    service.seed.post({ status: 'scheduled', scheduledFor: iso(start + hourMs) });
    const restored = createEmulator({ state: service.snapshot().toJSON() });
    expect(restored.scenarios.list()).toEqual(service.scenarios.list());
    expect(restored.scenarios.list()).toHaveLength(3);
  });

  it('cannot be changed through the list', () => {
    const service = planned();
    Object.assign(service.scenarios.list()[0]?.step ?? {}, { outcomes: undefined });
    expect(service.scenarios.list()[0]?.step).toEqual({ outcomes: { platform: 'tiktok', error: 'down' } });
  });

  it('are reported to observers when they are planned and removed', () => {
    const service = createEmulator({ now: () => start });
    const told: unknown[] = [];
    service.observe((change) => told.push(change));
    service.scenario([{ at: { hours: 1 }, outcomes: { error: 'down' } }]);
    service.scenarios.remove(service.scenarios.list()[0]?.id ?? '');
    expect(told).toEqual([
      { type: 'state', what: 'scenario' },
      { type: 'state', what: 'scenario' },
    ]);
  });
});
