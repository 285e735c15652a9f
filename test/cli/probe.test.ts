import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultRuntime } from '../../src/core/runtime.js';
import { cliWorld, type CliOptions, type CliWorld } from '../support/cli.js';
import { serveInMood, type Mood } from '../support/rewriting-proxy.js';

interface HealthFinding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
}

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

async function inMood(mood: Mood) {
  const { url } = await serveInMood(world.url, mood);
  return (options: CliOptions = {}) => world.run(['doctor', '--probe', '--yes', '--base-url', url], options);
}

/** The findings of the probe: the statuses by their checks. */
function statuses(json: () => unknown): Record<string, string> {
  const { findings } = json() as { findings: readonly HealthFinding[] };
  const first = findings.findIndex(({ check }) => check === 'probe');
  return Object.fromEntries(findings.slice(first).map(({ check, status }) => [check, status]));
}

const kept = {
  probe: 'ok',
  rawRequestBody: 'ok',
  Date: 'ok',
  listing: 'ok',
  'filter by time': 'ok',
  'guarantee: an uncertain send is found': 'ok',
  "guarantee: onMissing 'resend' sends nothing twice": 'not checked',
};

describe('doctor --probe', () => {
  it('shows that a service that keeps everything holds all guarantees, with one draft, and creates nothing again', async () => {
    const run = await inMood({});
    const first = await run();
    expect([first.code, statuses(first.json)]).toEqual([0, kept]);
    expect(world.service.posts).toMatchObject([{ status: 'draft' }]);
    expect(world.service.posts[0]).not.toHaveProperty('scheduledFor');
    const again = await run();
    expect(statuses(again.json)).toEqual({ ...kept, listing: 'not checked' });
    expect(again.out).toContain('The draft of an earlier run is used, and nothing was created: post_1.');
    expect(world.creates()).toBe(1);
    expect(world.service.requests.every(({ method }) => ['GET', 'POST'].includes(method))).toBe(true);
    expect(world.service.creditsUsed).toBe(0);
  });

  it('finds a service that drops milliseconds and adds fields', async () => {
    const run = await inMood({
      rewrite: (body) =>
        body.replace(/\.\d{3}Z"/g, 'Z"').replaceAll('"rawRequestBody":{', '"rawRequestBody":{"version":2,'),
    });
    const { code, json, out } = await run();
    expect([code, statuses(json)]).toEqual([
      0,
      { ...kept, rawRequestBody: 'warning', 'guarantee: an uncertain send is found': 'warning' },
    ]);
    expect(out).toContain('It differs from the request: version.');
  });

  it('finds a service without Date', async () => {
    const run = await inMood({ noDate: true });
    const { code, json } = await run();
    expect([code, statuses(json)]).toEqual([
      0,
      { ...kept, Date: 'warning', 'guarantee: an uncertain send is found': 'warning' },
    ]);
  });

  it('finds a filter that is ignored, and one that hides the draft', async () => {
    const ignoring = await inMood({ ignores: ['createdAfter', 'createdBefore'] });
    expect(statuses((await ignoring()).json)).toMatchObject({ ...kept, 'filter by time': 'warning' });
    const hiding = await inMood({ rewrite: (body) => body.replace(/"createdAt":"\d{4}/g, '"createdAt":"2001') });
    const { json, out } = await hiding();
    expect(statuses(json)).toMatchObject({
      'filter by time': 'warning',
      'guarantee: an uncertain send is found': 'warning',
    });
    expect(out).toContain('A filter that includes the draft hides it');
  });

  it.each(['Asia/Tokyo', 'America/Los_Angeles'])('reads times without an offset as UTC in %s', async (zone) => {
    vi.stubEnv('TZ', zone);
    const run = await inMood({ rewrite: (body) => body.replaceAll(/("createdAt":"[^"]*)Z"/g, '$1"') });
    expect(statuses((await run()).json)).toEqual(kept);
  });

  it('finds a list that does not show a new post', async () => {
    world.service.faults.add({ kind: 'listing_lag', lagMs: 60_000 });
    // The command waits for 10 seconds of this clock.
    const startedAt = performance.now();
    vi.spyOn(defaultRuntime, 'monotonic').mockImplementation(() => startedAt + (performance.now() - startedAt) * 20);
    const { json } = await (await inMood({}))();
    expect(statuses(json)).toMatchObject({
      listing: 'warning',
      'filter by time': 'not checked',
      'guarantee: an uncertain send is found': 'warning',
      "guarantee: onMissing 'resend' sends nothing twice": 'warning',
    });
  });

  it('asks first: without an answer, it exits with 5 and sends nothing', async () => {
    const { code, err } = await world.run(['doctor', '--probe']);
    expect(code).toBe(5);
    expect(err).toContain('creates one draft');
    expect(world.service.requests).toEqual([]);
  });

  it('reports a draft that the service refuses as a problem', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 400 });
    const { code, json } = await world.run(['doctor', '--probe', '--yes']);
    expect([code, statuses(json)]).toEqual([1, { probe: 'problem' }]);
  });
});
