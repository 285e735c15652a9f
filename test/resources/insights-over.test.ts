import { CreditLimitError, InvalidRequestError } from 'social-publishing';
import { beforeEach, describe, expect, it } from 'vitest';
import { everydayWorld, type EverydayWorld } from './everyday-world.js';

const year = { since: '2025-03-01', until: '2026-02-28' };

let world: EverydayWorld;
let accountId: string;

function setUp(maxCredits?: number): void {
  world = everydayWorld({}, { maxCredits });
  accountId = world.service.seed.integration({ platform: 'instagram' }).id;
}

beforeEach(() => {
  setUp();
});

describe('a user who wants insights over a year', () => {
  it('sees the calls and their cost first, without sending anything', () => {
    const plan = world.client.analytics.planInstagramInsights({ accountId, ...year });
    expect(plan).toEqual({
      ranges: [
        { since: '2025-03-01', until: '2025-05-29' },
        { since: '2025-05-30', until: '2025-08-27' },
        { since: '2025-08-28', until: '2025-11-25' },
        { since: '2025-11-26', until: '2026-02-23' },
        { since: '2026-02-24', until: '2026-02-28' },
      ],
      credits: 5,
    });
    expect(world.service.requests).toEqual([]);
  });

  it('reads range by range, the earliest first, each for a credit', async () => {
    world.service.seed.metrics({ accountId, date: '2025-03-02', metrics: { reach: 7 } });
    world.service.seed.metrics({ accountId, date: '2026-02-27', metrics: { reach: 9 } });
    const told = [];
    for await (const { dateRange, metrics } of world.client.analytics.getInstagramInsightsOver({
      accountId,
      ...year,
    })) {
      told.push([dateRange?.since, metrics['reach']?.total]);
    }
    expect(told.map(([since]) => since)).toEqual([
      '2025-03-01',
      '2025-05-30',
      '2025-08-28',
      '2025-11-26',
      '2026-02-24',
    ]);
    expect(told[0]?.[1]).toBe(7);
    expect(told[4]?.[1]).toBe(9);
    expect(world.client.creditsUsed).toBe(5);
  });

  it('may leave the ends out: 30 days ago up to today, by the clock of the client', async () => {
    const plan = world.client.analytics.planInstagramInsights({ accountId });
    expect(plan).toEqual({ ranges: [{ since: '2026-01-31', until: '2026-03-02' }], credits: 1 });

    // As the service takes them itself.
    const { dateRange } = await world.client.analytics.getInstagramInsights({ accountId });
    expect(dateRange).toEqual(plan.ranges[0]);
  });

  it('hands over a Date, or an instant, for a day, and metrics as an array', async () => {
    const query = {
      accountId,
      since: new Date('2025-12-01T10:00:00Z'),
      until: { epochMilliseconds: Date.parse('2026-03-01T23:00:00Z') },
      metrics: ['reach', 'views'] as const,
    };
    const told = [];
    for await (const insights of world.client.analytics.getInstagramInsightsOver(query)) told.push(insights.dateRange);
    expect(told).toEqual([
      { since: '2025-12-01', until: '2026-02-28' },
      { since: '2026-03-01', until: '2026-03-01' },
    ]);
    expect(world.service.requests.map(({ query: { metrics } }) => metrics)).toEqual(['reach,views', 'reach,views']);
  });
});

describe('its credits', () => {
  it('are refused whole where one of them is not left, before anything is sent', async () => {
    setUp(4);
    const walk = world.client.analytics.getInstagramInsightsOver({ accountId, ...year })[Symbol.asyncIterator]();
    const error = await walk.next().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CreditLimitError);
    expect(error).toMatchObject({ creditsUsed: 0, maxCredits: 4, outcome: 'not_sent' });
    expect((error as Error).message).toContain('The calls cost 5 credits');
    expect(world.service.requests).toEqual([]);
    expect(world.client.creditsUsed).toBe(0);
  });

  it('are set aside from other calls while the range is read', async () => {
    setUp(5);
    const { analytics } = world.client;
    const walk = analytics.getInstagramInsightsOver({ accountId, ...year })[Symbol.asyncIterator]();
    await walk.next();
    await expect(analytics.getInstagramInsights({ accountId })).rejects.toBeInstanceOf(CreditLimitError);
    const rest = [await walk.next(), await walk.next(), await walk.next(), await walk.next(), await walk.next()];
    expect(rest.map(({ done }) => done)).toEqual([false, false, false, false, true]);
    expect(world.client.creditsUsed).toBe(5);
  });

  it('are returned if the loop ends, or a call fails', async () => {
    setUp(5);
    const { analytics } = world.client;
    for await (const insights of analytics.getInstagramInsightsOver({ accountId, ...year })) {
      expect(insights.accountId).toBe(accountId);
      break;
    }
    expect(world.client.creditsUsed).toBe(1);
    world.service.faults.add({ route: 'GET /v1/analytics/instagram/account-insights', kind: 'status', status: 403 });
    const short = { accountId, since: '2026-01-01', until: '2026-01-31' };
    const failing = analytics.getInstagramInsightsOver(short)[Symbol.asyncIterator]();
    await expect(failing.next()).rejects.toMatchObject({ status: 403 });

    world.service.faults.clear();
    // Four are left, and all four can be spent.
    const again = { accountId, since: '2025-06-01', until: '2026-02-28' };
    expect(analytics.planInstagramInsights(again).credits).toBe(4);
    for await (const insights of analytics.getInstagramInsightsOver(again)) expect(insights.success).toBe(true);
    expect(world.client.creditsUsed).toBe(5);
  });
});

describe('a query that is wrong', () => {
  it('is reported with every issue, and nothing is sent', async () => {
    const query = { acountId: 'x', since: '2026-02-30', metrics: 'reach,likez', breakdown: 7 } as never;
    const plan = () => world.client.analytics.planInstagramInsights(query);
    expect(plan).toThrow(InvalidRequestError);
    let issues: string[] = [];
    try {
      plan();
    } catch (error) {
      const told = (error as InvalidRequestError).issues;
      issues = told.map(({ message }) => message);
    }
    expect(issues).toEqual(
      expect.arrayContaining([
        'since names a day that does not exist: 2026-02 has 28 days',
        expect.stringContaining("acountId is not a documented field; did you mean 'accountId'?"),
        expect.stringContaining('metrics must be one or more of reach, views'),
        'breakdown must be a string',
      ]),
    );
    const walk = world.client.analytics.getInstagramInsightsOver(query)[Symbol.asyncIterator]();
    await expect(walk.next()).rejects.toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    expect(world.service.requests).toEqual([]);
  });

  it('is refused if it ends before it begins, or is invalid', () => {
    const { analytics } = world.client;
    expect(() => analytics.planInstagramInsights({ accountId, since: '2026-02-02', until: '2026-02-01' })).toThrow(
      'since must not be after until',
    );
    expect(() => analytics.planInstagramInsights(undefined as never)).toThrow('accountId');
  });
});
