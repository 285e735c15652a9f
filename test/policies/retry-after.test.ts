import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/core/errors.js';
import { json, WireServer, type Answer } from '../support/wire-server.js';
import { post, free } from './calls.js';
import { rejection, testClient, type TestClient } from './client.js';

/** The first wait without a header: 75 % of 500 ms, because random numbers are always one half here. */
const ordinaryWait = 375;
/** A second, and half of the 10 % on top. */
const second = 1_050;
const now = Date.parse('2026-03-01T12:00:00Z');

const tooMany = (...retryAfter: string[]): Answer =>
  json(
    { success: false, message: 'Slow down' },
    429,
    retryAfter.map((value) => ['retry-after', value] as const),
  );

let server: WireServer;
let first: Answer;

beforeEach(async () => {
  server = await WireServer.start((_, index) => (index === 0 ? first : json(post.good)));
});

const client = (options = {}): TestClient => testClient(server.url, options, { now: () => now });

describe('Retry-After', () => {
  it.each([
    ['whole seconds', ['3'], 3 * second],
    ['whole seconds with blanks', [' 3 '], 3 * second],
    ['an HTTP date', ['Sun, 01 Mar 2026 12:00:20 GMT'], 20 * second],
    ['an HTTP date of the older kind', ['Sunday, 01-Mar-26 12:00:20 GMT'], 20 * second],
    ['exactly a minute', ['60'], 60 * second],
    ['two headers: the longer wait', ['2', '9'], 9 * second],
    ['two headers in the other order: the longer wait', ['9', '2'], 9 * second],
    ['two dates: the later one', ['Sun, 01 Mar 2026 12:00:05 GMT', 'Sun, 01 Mar 2026 12:00:20 GMT'], 20 * second],
    ['seconds and a date: the longer wait', ['9', 'Sun, 01 Mar 2026 12:00:20 GMT'], 20 * second],
    ['one that can be read beside one that cannot', ['soon', '9'], 9 * second],
    ['several in one header: the longest wait', ['2, Sun, 01 Mar 2026 12:00:20 GMT, 9'], 20 * second],
  ])('is a floor: %s', async (_, values, wait) => {
    first = tooMany(...values);
    const { client: sdk, waits } = client();
    await post.call(sdk);
    expect(waits).toEqual([wait]);
    expect(server.requests).toHaveLength(2);
  });

  it.each(['America/New_York', 'Asia/Kolkata', 'UTC'])(
    "as a date of C's asctime is in UTC, in any time zone: %s",
    async (zone) => {
      const { TZ } = process.env;
      process.env['TZ'] = zone;
      try {
        first = tooMany('Sun Mar  1 12:00:20 2026');
        const { client: sdk, waits } = client();
        await post.call(sdk);
        expect(waits).toEqual([20 * second]);
      } finally {
        if (TZ === undefined) delete process.env['TZ'];
        else process.env['TZ'] = TZ;
      }
    },
  );

  it.each([
    ['missing', []],
    ['0', ['0']],
    ['negative', ['-5']],
    ['fractional', ['1.5']],
    ['an exponent', ['1e3']],
    ['hexadecimal', ['0x10']],
    ['empty', ['']],
    ['words', ['in a while']],
    ['a past date', ['Sun, 01 Mar 2026 11:59:00 GMT']],
    ['this very second', ['Sun, 01 Mar 2026 12:00:00 GMT']],
    ['an ISO date', ['2026-03-01T12:00:20Z']],
    ['half a date', ['Sun, 01 Mar']],
    ['a date that does not exist', ['Sun, 99 Mar 2026 12:00:20 GMT']],
    ['two that say nothing', ['soon', '-1']],
    ['two zeros in one header', ['0, 0']],
    ['a date after other words', ['not before Sun 01 Mar 2026 12:00:20 GMT']],
  ])('uses the ordinary wait if it is %s', async (_, values) => {
    first = tooMany(...values);
    const { client: sdk, waits } = client();
    await post.call(sdk);
    expect(waits).toEqual([ordinaryWait]);
  });

  it.each([
    ['Fri, 01 Mar 2024 11:00:30 GMT', 'Fri, 01 Mar 2024 11:00:00 GMT', 30 * second],
    ['Fri, 01 Mar 2024 11:00:30 GMT', 'Fri, 01 Mar 2024 11:00:30 GMT', ordinaryWait],
    ['Wed, 01 Mar 2034 11:00:30 GMT', 'Wed, 01 Mar 2034 11:00:00 GMT', 30 * second],
    ['7', 'Fri, 01 Mar 2024 11:00:00 GMT', 7 * second],
    ['Sun, 01 Mar 2026 12:00:20 GMT', 'soon', 20 * second],
  ])("of %s counts from the reply's own Date (%s), whatever this machine's clock says", async (value, date, wait) => {
    first = json({ success: false }, 429, [
      ['retry-after', value],
      ['date', date],
    ]);
    const { client: sdk, waits } = client();
    await post.call(sdk);
    expect(waits).toEqual([wait]);
  });

  it.each([
    [0, 20_000],
    [0.999999, 22_000],
  ])('is exceeded by up to a tenth at random (%d)', async (chance, wait) => {
    first = tooMany('20');
    const { client: sdk, waits } = testClient(server.url, {}, { now: () => now, random: () => chance });
    await post.call(sdk);
    expect(waits.map(Math.round)).toEqual([wait]);
  });

  it('shorter than the ordinary wait does not shorten it', async () => {
    const late = await WireServer.start((_, index) => (index < 3 ? tooMany('1') : json(post.good)));
    const { client: sdk, waits } = testClient(late.url, { maxRetries: 3 });
    await post.call(sdk);
    expect(waits).toEqual([second, second, 1_500]);
  });

  it.each([
    ['61 seconds', '61', 61_000],
    ['an hour as a date', 'Sun, 01 Mar 2026 13:00:00 GMT', 3_600_000],
    ['a number beyond all numbers: a century', '9'.repeat(400), 3_153_600_000_000],
    ['a century beside a shorter wait', `9, ${'9'.repeat(400)}`, 3_153_600_000_000],
    ['an underflow: a century', '18446744073709551615', 3_153_600_000_000],
  ])('above a minute ends the call at once, with retryAfterMs: %s', async (_, value, retryAfterMs) => {
    first = tooMany(value);
    const { client: sdk, waits } = client();
    const error = await rejection(post.call(sdk));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ name: 'RateLimitError', status: 429, retryAfterMs, outcome: 'rejected' });
    expect(waits).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('past the total deadline ends the call at once, rather than in a time-out', async () => {
    first = tooMany('20');
    const { client: sdk, waits } = client({ totalTimeoutMs: 20_000 });
    const error = await rejection(post.call(sdk));
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 20_000 });
    expect(waits).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('is reported also if the call must not be retried', async () => {
    first = json({ success: false, message: 'Down' }, 503, [['retry-after', '7']]);
    const error = await rejection(post.call(client().client));
    expect(error).toMatchObject({ name: 'ServerError', retryAfterMs: 7_000, outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });

  it('counts also with a status other than 429', async () => {
    first = json({ success: false, message: 'Down' }, 500, [['retry-after', '7']]);
    const { client: sdk, waits } = client();
    await rejection(free.call(sdk)); // The good reply is a create's.
    expect(waits).toEqual([7 * second]);
  });
});

describe('waits without Retry-After', () => {
  it.each([
    [0, [250, 500, 1_000, 2_000, 4_000, 4_000]],
    [0.5, [375, 750, 1_500, 3_000, 6_000, 6_000]],
    [0.999999, [500, 1_000, 2_000, 4_000, 8_000, 8_000]],
  ])('double from 500 ms up to 8 s, minus up to half at random (%d)', async (chance, expected) => {
    const down = await WireServer.start(() => json({ success: false }, 500));
    const { client: sdk, waits } = testClient(down.url, { maxRetries: 6 }, { random: () => chance });
    await rejection(free.call(sdk));
    expect(waits.map((wait) => Math.round(wait))).toEqual(expected);
  });

  it('are skipped if they exceed the total deadline: the last error is thrown', async () => {
    const down = await WireServer.start(() => json({ success: false, message: 'Down' }, 500));
    const { client: sdk, waits } = testClient(down.url, { maxRetries: 9, totalTimeoutMs: 2_000 });
    const error = await rejection(free.call(sdk));
    expect(error).toMatchObject({ name: 'ServerError', status: 500 });
    expect(waits).toEqual([375, 750]);
  });
});

describe('maxRetries', () => {
  it.each([0, 1, 4])('%d sends at most once more than that', async (maxRetries) => {
    const down = await WireServer.start(() => json({ success: false }, 500));
    await rejection(free.call(testClient(down.url, { maxRetries }).client));
    await rejection(testClient(down.url).client.posts.list({}, { maxRetries }));
    expect(down.requests).toHaveLength(2 * (maxRetries + 1));
  });
});
