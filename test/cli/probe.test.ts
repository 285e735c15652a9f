import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultRuntime } from '../../src/core/runtime.js';
import { cliWorld, type CliOptions, type CliWorld } from '../support/cli.js';
import { serveInMood, type Mood } from '../support/rewriting-proxy.js';

interface HealthFinding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
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

/** The findings of the probe by their checks. */
function found(json: () => unknown): Record<string, string> {
  const { findings } = json() as { findings: readonly HealthFinding[] };
  const first = findings.findIndex(({ check }) => check === 'probe');
  return Object.fromEntries(
    findings.slice(first).map(({ check, status, message }) => [check, `${status}: ${message}`]),
  );
}

const uncertain = 'guarantee: an uncertain send is found';
const resend = "guarantee: onMissing 'resend' sends nothing twice";
const kept = {
  probe: 'ok: One draft was created: post_1. It stays at the service. Nothing is deleted.',
  rawRequestBody: 'ok: It is equal to the request.',
  Date: 'ok: Replies have a current Date.',
  listing: 'ok: A new post is listed at once.',
  'filter by time': 'ok: It works.',
  [uncertain]: 'ok: It holds: a search with the rules of the publisher found the draft.',
  [resend]: "not checked: A draft that is listed is not proof. The default, 'hold', does not depend on it.",
};
const weaker = (status: string) =>
  `warning: It is weaker: a search cannot prove which post is it (${status}). Each uncertain send stays in_doubt until you decide.`;

describe('doctor --probe', () => {
  it('shows that a service that keeps everything holds all guarantees, with one draft, and creates nothing again', async () => {
    const run = await inMood({});
    const first = await run();
    expect([first.code, found(first.json)]).toEqual([0, kept]);
    expect(world.service.posts).toMatchObject([
      { status: 'draft', content: expect.stringMatching(/^Probe \S{36} of social-publishing doctor\./) as string },
    ]);
    expect(world.service.posts[0]).not.toHaveProperty('scheduledFor');
    const again = await run();
    expect(found(again.json)).toEqual({
      ...kept,
      probe:
        'ok: The draft of an earlier run is used, and nothing was created: post_1. It stays at the service. Nothing is deleted.',
      listing: 'not checked: Only the run that creates the draft can measure it.',
    });
    expect(world.creates()).toBe(1);
    expect(world.service.requests.every(({ method }) => ['GET', 'POST'].includes(method))).toBe(true);
    expect(world.service.creditsUsed).toBe(0);
  });

  it('finds a service that drops milliseconds and adds fields', async () => {
    const run = await inMood({
      rewrite: (body) =>
        body.replace(/\.\d{3}Z"/g, 'Z"').replaceAll('"rawRequestBody":{', '"rawRequestBody":{"version":2,'),
    });
    const { code, json } = await run();
    const rawRequestBody = 'warning: It differs from the request: version.';
    expect([code, found(json)]).toEqual([0, { ...kept, rawRequestBody, [uncertain]: weaker('ambiguous') }]);
  });

  it('finds a service that does not keep the request', async () => {
    const run = await inMood({ rewrite: (body) => body.replaceAll('"rawRequestBody"', '"request"') });
    expect(found((await run()).json)).toMatchObject({ rawRequestBody: 'warning: It is missing.' });
  });

  it('takes no other draft for its own', async () => {
    const { clock, seed } = world.service;
    const other = (content: string) => seed.post({ content, status: 'draft' });
    other('before');
    await clock.advance({ hours: 1 });
    const run = await inMood({});
    const first = await run();
    await clock.advance({ hours: 1 });
    other('after');
    const again = await run();
    for (const { json } of [first, again])
      expect(found(json)).toMatchObject({
        rawRequestBody: kept.rawRequestBody,
        'filter by time': kept['filter by time'],
      });
  });

  it('finds a service without Date', async () => {
    const run = await inMood({ noDate: true });
    const { code, json } = await run();
    const Date = 'warning: Replies have no current Date.';
    expect([code, found(json)]).toEqual([0, { ...kept, Date, [uncertain]: weaker('no Date') }]);
  });

  it('finds a filter that is ignored, and one that hides the draft', async () => {
    const ignoring = await inMood({ ignores: ['createdAfter', 'createdBefore'] });
    expect(found((await ignoring()).json)).toEqual({
      ...kept,
      'filter by time': 'warning: It is ignored: each search reads the whole list.',
    });
    for (const name of ['createdAfter', 'createdBefore']) {
      const half = await inMood({ ignores: [name] });
      expect(found((await half()).json)).toMatchObject({
        'filter by time': expect.stringMatching(/^warning: It is ignored/) as string,
      });
    }
    const hiding = await inMood({ rewrite: (body) => body.replace(/"createdAt":"\d{4}/g, '"createdAt":"2001') });
    expect(found((await hiding()).json)).toMatchObject({
      'filter by time': 'warning: A filter that includes the draft hides it, so a search does not find it.',
      [uncertain]: expect.stringMatching(/^warning: It is weaker/) as string,
    });
    const undated = await inMood({ rewrite: (body) => body.replaceAll('"createdAt"', '"created"') });
    expect(found((await undated()).json)).toMatchObject({
      'filter by time': 'not checked: The list does not show when the draft was created.',
    });
  });

  it.each(['Asia/Tokyo', 'America/Los_Angeles'])('reads times without an offset as UTC in %s', async (zone) => {
    vi.stubEnv('TZ', zone);
    const run = await inMood({ rewrite: (body) => body.replaceAll(/("createdAt":"[^"]*)Z"/g, '$1"') });
    expect(found((await run()).json)).toEqual(kept);
  });

  it('finds a list that does not show a new post', async () => {
    world.service.faults.add({ kind: 'listing_lag', lagMs: 60_000 });
    // The command waits for 10 seconds of this clock.
    const startedAt = performance.now();
    vi.spyOn(defaultRuntime, 'monotonic').mockImplementation(() => startedAt + (performance.now() - startedAt) * 20);
    const { json } = await (await inMood({}))();
    expect(found(json)).toMatchObject({
      rawRequestBody: 'warning: It is missing.',
      listing: 'warning: A new post is not listed within 10 s.',
      'filter by time': 'not checked: The list does not show when the draft was created.',
      [uncertain]: weaker('not_found'),
      [resend]: 'warning: It is weaker: a post may be listed late. Set settleMs far above that time.',
    });
  });

  it('finds a list that shows a new post a little late', async () => {
    let hidden = 2;
    const run = await inMood({
      rewrite: (body) => (body.includes('"posts":[{') && hidden-- > 0 ? body.replace(/\[.*\]/s, '[]') : body),
    });
    expect(found((await run()).json)).toMatchObject({ listing: 'warning: A new post is not listed at once.' });
  });

  it('reports a service that refuses to list its drafts', async () => {
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 403 });
    const { code, json } = await world.run(['doctor', '--probe', '--yes']);
    const { findings } = json() as { findings: readonly HealthFinding[] };
    expect([code, findings.at(-1)]).toMatchObject([
      1,
      { check: 'probe', status: 'problem', fix: 'Fix it, then run the command again.' },
    ]);
  });

  it('asks first: without an answer, it exits with 5 and sends nothing', async () => {
    const { code, err } = await world.run(['doctor', '--probe']);
    expect(code).toBe(5);
    expect(err).toMatch(
      /^doctor --probe creates one draft, .* A later run with the same store creates nothing\. There is no/,
    );
    expect(world.service.requests).toEqual([]);
  });

  it('reports a draft that the service refuses as a problem', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 400 });
    const { code, json } = await world.run(['doctor', '--probe', '--yes']);
    expect([code, found(json)]).toEqual([
      1,
      { probe: expect.stringMatching(/^problem: The draft was not created: rejected: \S/) as string },
    ]);
    const { findings } = json() as { findings: readonly HealthFinding[] };
    expect(findings.at(-1)?.fix).toBe(`Run: social-publishing intents show doctor-probe/${world.url}`);
  });
});
