import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/cli/campaign-rows.js';
import { bar, isIntent, sendRows, type SendRowsOptions } from '../../../src/cli/commands/campaign.js';
import type { Intent, PublishProgress } from '../../../src/publisher/index.js';
import { collect } from '../../support/collect.js';
import { OutageWorld } from '../../publisher/outage-world.js';
import { hour } from '../../publisher/world.js';

function rowsOf(world: OutageWorld): Row[] {
  return Array.from({ length: 30 }, (_, at) => {
    const { content, platforms } = world.body(at);
    return { line: at + 2, key: `k${String(at)}`, body: { content, platforms, scheduledFor: '2030-01-01T09:00:00Z' } };
  });
}

function optionsOf(world: OutageWorld): SendRowsOptions {
  const nothing = () => undefined;
  return {
    concurrency: 4,
    signal: new AbortController().signal,
    now: world.runtime.now,
    storeOptions: '',
    waitForLeases: false,
    onProgress: nothing,
    onOutage: nothing,
    onWait: nothing,
  };
}

describe('a campaign in an outage', () => {
  it('shows since when it waits, and when it tries again, in 80 columns', () => {
    const counts = { ready: 0, sending: 0, accepted: 40, published: 0, partial: 0, failed: 0, rejected: 0 };
    const progress: PublishProgress = { ...counts, inDoubt: 8, abandoned: 0 };
    expect(bar(progress, 96)).toMatch(/^█{15}░{15} 48 of 96 {2}40 accepted, 8 in doubt$/);
    const waiting = { ...progress, waitingMs: 60_000, waitingSince: '2026-05-01T09:00:07.123Z' };
    expect(bar(waiting, 96)).toBe('█████░░░░░ 48 of 96  the service is down since 09:00:07Z, next try in 60 s');
    expect(bar(waiting, 96).length).toBeLessThanOrEqual(80);
  });

  it('that lasts too long: leaves the rest to the next run, which finishes', async () => {
    const world = new OutageWorld();
    const rows = rowsOf(world);
    const waits: number[] = [];
    const options = { ...optionsOf(world), onWait: (count: number) => waits.push(count) };
    world.outage('refused', { forMs: hour });
    const publisher = world.publisher({ outageMs: 20_000 });
    const first = await world.run(sendRows(publisher, rows, options));
    expect(first?.size).toBeLessThanOrEqual(3 * 4);
    // There is no second pass.
    expect(waits).toEqual([0]);
    await world.pass(2 * hour);
    const second = await world.run(sendRows(publisher, rows, options));
    expect([...(second?.values() ?? [])].map((result) => (isIntent(result) ? result.state : 'late'))).toEqual(
      rows.map(() => 'accepted'),
    );
    expect(world.doubled).toBe(0);
  });

  it('that Ctrl-C ends: waits for no pause, and has sent and recorded nothing else', async () => {
    const world = new OutageWorld();
    const rows = rowsOf(world);
    const abort = new AbortController();
    let isWaiting = false;
    const onProgress = ({ waitingMs = 0 }: PublishProgress) => (isWaiting ||= waitingMs >= 16_000);
    world.outage('unavailable', { inMs: 1_000, forMs: hour });
    const publisher = world.publisher();
    const work = sendRows(publisher, rows, { ...optionsOf(world), signal: abort.signal, onProgress });
    await world.run(work, { until: () => isWaiting });
    const { time } = world;
    abort.abort(new Error('Ctrl-C'));
    const results = (await world.run(work)) ?? new Map<string, never>();
    expect([world.time, world.sleepers]).toEqual([time, 0]);
    expect(results.size).toBe(world.service.posts.length + world.metByOutage);
    expect(results.size).toBe((await collect(publisher.list())).length);
  });

  it('that Ctrl-C ends during the trial: finishes and records it, and sends no other', async () => {
    const world = new OutageWorld();
    const rows = rowsOf(world);
    const abort = new AbortController();
    const outageMs = 30_000;
    world.outage('refused', { forMs: outageMs });
    const onChange = ({ state }: Intent) => {
      if (state === 'sending' && world.time > outageMs) abort.abort(new Error('Ctrl-C'));
    };
    const work = sendRows(world.publisher({ onChange }), rows, { ...optionsOf(world), signal: abort.signal });
    const results = (await world.run(work)) ?? new Map<string, never>();
    const states = [...results.values()].map((result) => (isIntent(result) ? result.state : 'late'));
    expect(states.filter((state) => state === 'accepted')).toHaveLength(1);
    expect(world.service.posts).toHaveLength(1);
    expect(new Set(states)).toEqual(new Set(['accepted', 'ready']));
  });
});
