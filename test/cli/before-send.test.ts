/** Intents that wait for their send: `--send-ahead`, `intents cancel`, `intents edit` and `intents sweep --no-send`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cliWorld, type CliOptions, type CliWorld } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
});

const time = '2099-01-01T09:00:00Z';
const sendAt = '2099-01-01T08:50:00.000Z';
const at = (instant: string): CliOptions => ({ now: () => Date.parse(instant) });
const publish = (...more: string[]) => [
  ...['publish', '--key', 'a', '--content', 'Hello', '--target', `bluesky:${world.accountId}`],
  ...['--scheduled-for', time, ...more],
];
const waiting = () => publish('--send-ahead', '10m');

describe('publish --send-ahead', () => {
  it('exits with 0 while the intent waits; a sweep sends it at its time', async () => {
    const { code, json } = await world.run(waiting());
    expect([code, json()]).toMatchObject([0, { state: 'ready', sendAt, replayed: false }]);
    expect((json() as { next: string }).next).toMatch(/^A sweep sends it from .* on\. Run this regularly: .* sweep/);
    expect((await world.run(waiting())).code).toBe(0);
    expect((await world.run(['intents', 'list'])).json()).toMatchObject([{ key: 'a', sendAt }]);
    expect((await world.run(['intents', 'list'], { tty: true })).out).toMatch(/key +state +sendAt/);
    expect((await world.run(['intents', 'sweep'])).json()).toEqual([]);
    expect(world.creates()).toBe(0);
    const swept = await world.run(['intents', 'sweep'], at(sendAt));
    expect([swept.code, swept.json()]).toMatchObject([0, [{ state: 'accepted' }]]);
    expect(world.creates()).toBe(1);
  });

  it('exits with 1 if the intent is still ready at its time', async () => {
    await world.run(waiting());
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 401, times: 1 });
    expect((await world.run(['intents', 'sweep'], at(sendAt))).code).toBe(1);
  });

  it.each(['10', '10 m', '1w', 'soon', '-5m'])('refuses the duration %j', async (duration) => {
    const { code, err } = await world.run(publish(`--send-ahead=${duration}`));
    expect(code).toBe(2);
    expect(err).toContain('--send-ahead must be a number with a unit (s, m, h or d), for example 10m');
    expect(world.creates()).toBe(0);
  });
});

describe('intents cancel', () => {
  it('asks on a terminal, and can be repeated', async () => {
    await world.run(waiting());
    expect((await world.run(['intents', 'cancel', 'a'], { answer: 'n' })).code).toBe(5);
    const dry = await world.run(['intents', 'cancel', 'a', '--dry-run']);
    expect([dry.code, dry.json()]).toEqual([0, { dryRun: true, key: 'a', state: 'ready' }]);
    for (const yes of [[], ['--yes']]) {
      const { code, json } = await world.run(['intents', 'cancel', 'a', ...yes]);
      expect([code, json()]).toMatchObject([0, { state: 'abandoned' }]);
    }
    await world.run(['intents', 'sweep'], at(sendAt));
    expect(world.creates()).toBe(0);
  });

  it('of a post that was sent exits with 2 and says so', async () => {
    await world.run(publish());
    const { code, err } = await world.run(['intents', 'cancel', 'a', '--yes']);
    expect(code).toBe(2);
    expect(err).toMatch(/was sent, and its post is post_\d+/);
    expect((await world.run(['intents', 'cancel', 'b', '--yes'])).err).toContain("There is no intent 'b'");
  });
});

describe('intents edit', () => {
  it('changes the passed fields only, and can be repeated', async () => {
    await world.run(waiting());
    const edit = ['intents', 'edit', 'a', '--content', 'Edited'];
    const dry = await world.run([...edit, '--dry-run']);
    expect(dry.json()).toMatchObject({ dryRun: true, key: 'a', body: { content: 'Edited', scheduledFor: time } });
    for (let times = 0; times < 2; times += 1) {
      const { code, json } = await world.run(edit);
      expect([code, json()]).toMatchObject([0, { state: 'ready', sendAt, body: { content: 'Edited' } }]);
    }
    expect((await world.run(waiting())).code).toBe(3);
    await world.run(['intents', 'sweep'], at(sendAt));
    expect(world.service.posts).toMatchObject([{ content: 'Edited' }]);
  });

  it('replaces the mode and the time of the send, or the whole body', async () => {
    await world.run(waiting());
    const later = await world.run(['intents', 'edit', 'a', '--scheduled-for', '2099-01-02T09:00:00Z']);
    expect(later.json()).toMatchObject({ sendAt: '2099-01-02T08:50:00.000Z', body: { content: 'Hello' } });
    const sooner = await world.run(['intents', 'edit', 'a', '--send-ahead', '1d']);
    expect(sooner.json()).toMatchObject({ sendAt: '2099-01-01T09:00:00.000Z' });
    expect((await world.run(['intents', 'edit', 'a', '--publish-now'], { answer: 'n' })).code).toBe(5);
    const now = await world.run(['intents', 'edit', 'a', '--publish-now']);
    expect([now.code, now.json()]).toMatchObject([0, { body: { publishNow: true } }]);
    const body = JSON.stringify({ content: 'Draft', saveAsDraft: true });
    const tags = { stdin: '{"tags":["a"]}' };
    const tagged = await world.run(['intents', 'edit', 'a', '--extra-body', '-'], tags);
    expect(tagged.json()).toMatchObject({ body: { publishNow: true }, extraBody: { tags: ['a'] } });
    // Fields that were not passed stay.
    const kept = await world.run(['intents', 'edit', 'a', '--content', 'Other']);
    expect(kept.json()).toMatchObject({ body: { content: 'Other' }, extraBody: { tags: ['a'] } });
    const draft = await world.run(['intents', 'edit', 'a', '--body', '-'], { stdin: body });
    expect((draft.json() as { body: unknown }).body).toEqual({ content: 'Draft', saveAsDraft: true });
  });

  it('is the advice for an intent that no sweep sent in time', async () => {
    await world.run(waiting());
    const after = '2099-01-01T11:00:00Z';
    await world.service.clock.set(after);
    const late = await world.run(['intents', 'sweep', '--yes'], at(after));
    expect([late.code, late.json()]).toMatchObject([3, [{ state: 'rejected' }]]);
    const { next } = (await world.run(['intents', 'show', 'a'])).json() as { next: string };
    expect(next).toContain('social-publishing intents edit a --scheduled-for TIME');
    const edited = await world.run(['intents', 'edit', 'a', '--scheduled-for', '2099-02-01T09:00:00Z']);
    expect(edited.json()).toMatchObject({ state: 'ready', sendAt: '2099-02-01T08:50:00.000Z' });
  });
});

describe('intents sweep without --yes', () => {
  const publishAs = (key: string, ahead: string) =>
    world.run([
      ...['publish', '--key', key, '--content', key, '--target', `bluesky:${world.accountId}`],
      ...['--scheduled-for', time, '--send-ahead', ahead],
    ]);
  const plan = async (now: CliOptions) => (await world.run(['intents', 'sweep', '--dry-run'], now)).json();

  it('asks on a terminal for a post that it sends within 5 minutes of its time, but not for one that waits', async () => {
    await publishAs('later', '2m');
    const soon = { ...at('2099-01-01T08:57:00Z'), answer: 'n' };
    expect((await world.run(['intents', 'sweep'], soon)).code).toBe(0);
    await publishAs('due', '4m');
    const { code, err } = await world.run(['intents', 'sweep'], soon);
    expect([code, err]).toEqual([5, expect.stringContaining("'due'")]);
    expect(world.creates()).toBe(0);
  });

  it('sends without a terminal, as in cron', async () => {
    await publishAs('due', '4m');
    const { code, json } = await world.run(['intents', 'sweep'], at('2099-01-01T08:57:00Z'));
    expect([code, json()]).toMatchObject([0, [{ key: 'due', state: 'accepted' }]]);
  });

  it('records that it is too late for a post, and asks nothing, until an operator wants it sent', async () => {
    await publishAs('late', '10m');
    const after = at('2099-01-01T11:00:00Z');
    // This machine's clock is ahead: it asks before it sends.
    expect(await plan(after)).toMatchObject([{ key: 'late', action: 'send' }]);
    expect((await world.run(['intents', 'sweep'], { ...after, answer: 'n' })).code).toBe(5);
    await world.service.clock.set('2099-01-01T11:00:00Z');
    expect(await plan(after)).toMatchObject([{ key: 'late', action: 'record that it is too late' }]);
    expect((await world.run(['intents', 'sweep'], after)).json()).toMatchObject([{ state: 'rejected' }]);
    await world.run(['intents', 'resolve', 'late', '--as', 'not_sent', '--yes'], after);
    expect(await plan(after)).toMatchObject([{ key: 'late', action: 'send' }]);
    expect((await world.run(['intents', 'sweep'], { ...after, answer: 'n' })).code).toBe(5);
    expect(world.creates()).toBe(0);
  });
});

describe('intents sweep --no-send', () => {
  it('searches, sends nothing and asks nothing', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 401, times: 1 });
    await world.run(publish());
    const soon = { ...at('2099-01-01T08:58:00Z'), answer: 'n' };
    expect((await world.run(['intents', 'sweep'], soon)).code).toBe(5);
    const paused = await world.run(['intents', 'sweep', '--no-send'], soon);
    expect([paused.code, paused.json()]).toEqual([0, []]);
    expect((await world.run(['intents', 'sweep', '--no-send', '--dry-run'], soon)).json()).toEqual([]);
    expect(world.service.posts).toEqual([]);
  });
});

describe('intents sweep', () => {
  it('that Ctrl-C ends while the service is down exits with 130', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => `k${String(at)},A,${time},bluesky:${world.accountId}`);
    const stdin = ['key,content,time,targets', ...rows].join('\n');
    expect((await world.run(['campaign', '-', '--send-ahead', '10m'], { stdin })).code).toBe(0);
    world.service.faults.add({ kind: 'outage', effect: 'refused', route: 'POST /v1/posts/' });
    const stop = new AbortController();
    const onError = (text: string) => {
      if (text.startsWith('Waiting: ')) stop.abort(new DOMException('Interrupted.', 'AbortError'));
    };
    const { code, out, err } = await world.run(['intents', 'sweep'], { ...at(sendAt), signal: stop.signal, onError });
    expect([code, out]).toEqual([130, '']);
    expect(err).toMatch(/\nStopped\. Run the command again: it continues, and sends nothing twice\.\n$/);
  });
});

describe('campaign --send-ahead', () => {
  it('keeps its rows until their times, and exits with 0', async () => {
    const folder = temporaryFolder('send-ahead');
    const file = join(folder, 'spring.csv');
    const rows = ['de', 'fr'].map((key) => `${key},Hello ${key},2099-01-01T09:00,UTC,bluesky:${world.accountId}`);
    await writeFile(file, `key,content,time,zone,targets\n${rows.join('\n')}\n`);
    const args = ['campaign', file, '--send-ahead', '10m'];
    for (let times = 0; times < 2; times += 1) {
      const { code, json, err } = await world.run(args);
      expect([code, json()]).toMatchObject([
        0,
        { total: 2, scheduled: 0, waiting: 2, rows: [{ state: 'ready', sendAt }, { state: 'ready' }] },
      ]);
      expect(err).toContain(
        'Rows that wait until their sendAt: 2. Run this regularly: social-publishing intents sweep',
      );
    }
    expect((await world.run(args, { tty: true })).out).toBe('0 of 2 rows are scheduled, 2 wait.\n');
    await world.run(['intents', 'sweep'], at(sendAt));
    const { code, json } = await world.run(args);
    expect([code, json()]).toMatchObject([0, { scheduled: 2 }]);
    expect(world.creates()).toBe(2);
  });
});
