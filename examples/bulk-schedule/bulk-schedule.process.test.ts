import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createEmulator, type Emulator } from 'social-publishing/emulator';
import { serveEmulator } from 'social-publishing/emulator/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const canKeep = isBuiltin('node:sqlite') || Boolean(process.env['DATABASE_URL']) || Boolean(process.env['REDIS_URL']);
if (!canKeep) console.warn('bulk-schedule: killing and running again needs Node 22.13, DATABASE_URL or REDIS_URL.');

let folder: string;
let service: Emulator;
let served: { url: string; close: () => Promise<unknown> };
let accountId: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bulk-schedule-'));
  service = createEmulator({ accessKey: 'key' });
  served = await serveEmulator(service, { realTime: true });
  accountId = service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
});

afterEach(async () => {
  // What a test gave up on.
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await served.close();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
}

/** A run of the program, in a process of its own. */
function start(
  args: readonly string[],
  stdin = '',
  env: Readonly<Record<string, string>> = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/bulk-schedule/index.ts', ...args], {
    cwd: root,
    env: {
      ...process.env,
      NODE_NO_WARNINGS: '1',
      SOCIAL_PUBLISHING_BASE_URL: served.url,
      SOCIAL_PUBLISHING_ACCESS_KEY: 'key',
      ...env,
    },
  });
  children.push(child);
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stdin.end(stdin);
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      resolve({ code, out });
    });
  });
  return { child, ended };
}

const header = 'key,content,time,zone,targets';

async function campaign(rows: readonly string[]): Promise<string> {
  const file = join(folder, `campaign-${String(Date.now())}.csv`);
  await writeFile(file, [header, ...rows].join('\n'));
  return file;
}

describe('the check of all rows', () => {
  it('names every bad one with its line and field, and sends nothing', { timeout: 60_000 }, async () => {
    const tiktokId = service.seed.integration({ platform: 'tiktok', username: 'acme' }).id;
    const file = await campaign([
      `a,"Two`,
      `lines",2030-03-29T09:00,Europe/Berlin,bluesky:${accountId}`,
      `b,,2030-03-29T09:00,Europe/Berlin,bluesky:${accountId}`,
      `a,Again,2030-02-30T09:00,Europe/Berlin,bluesky:${accountId}`,
      `c,Gap,2030-03-31T02:30,Europe/Berlin,bluesky:${accountId}`,
      `d,Overlap,2030-10-27T02:30,Europe/Berlin,bluesky:${accountId}`,
      `e,No zone,2030-03-29T09:00,,bluesky:${accountId}`,
      `f,No such zone,2030-03-29T09:00,Europe/Atlantis,bluesky:${accountId}`,
      `g,Targets,2030-03-29T09:00,Europe/Berlin,myspace:x bluesky:nobody bluesky:${tiktokId}`,
    ]);
    const { code, out } = await start([file, '--db', join(folder, 'db')]).ended;
    expect(code).toBe(1);
    expect(out.split('\n').filter((line) => line.startsWith('line '))).toEqual([
      'line 4, content: is empty',
      'line 5, time: names a day that does not exist: 2030-02 has 28 days',
      'line 5, key: is the same as in line 2',
      expect.stringMatching(/^line 6, time: does not exist .*2030-03-31T01:30:00\+01:00.*2030-03-31T03:30:00\+02:00/),
      expect.stringMatching(/^line 7, time: occurs twice .*2030-10-27T02:30:00\+02:00.*2030-10-27T02:30:00\+01:00/),
      expect.stringMatching(/^line 8, zone: is empty/),
      expect.stringMatching(/^line 9, zone: must be an IANA time zone/),
      expect.stringMatching(/^line 10, targets: 'myspace:x' must be a platform/),
      "line 10, targets: there is no connected account 'nobody'",
      expect.stringMatching(/^line 10, targets: the account .* is one of tiktok, not of bluesky$/),
    ]);
    expect(service.posts).toHaveLength(0);
  });

  it('prints a table in a dry run, from stdin too, and sends nothing', { timeout: 60_000 }, async () => {
    const csv = `\uFEFF${header}\r\nx,"Hello, ""world""",2030-03-31T02:30,Europe/Berlin,bluesky:${accountId}\r\n`;
    const { code, out } = await start(['-', '--dry-run', '--name', 'spring', '--gap', 'later'], csv).ended;
    expect(out).toMatch(/2 +spring\/x +2030-03-31T03:30:00\+02:00 +bluesky +Hello, "world"\n/);
    expect(code).toBe(0);
    expect(service.posts).toHaveLength(0);
  });
});

describe('a store that can not be used', () => {
  const run = async (env: Readonly<Record<string, string>>) => {
    const file = await campaign([`a,A,2030-03-29T09:00,Europe/Berlin,bluesky:${accountId}`]);
    return start([file], '', { DATABASE_URL: '', REDIS_URL: '', ...env }).ended;
  };

  it('is said, and the program ends: Redis is away', { timeout: 30_000 }, async () => {
    expect((await run({ REDIS_URL: 'redis://:@127.0.0.1:1' })).out).toContain('ECONNREFUSED');
    const { code, out } = await run({ REDIS_URL: 'redis://:secret@127.0.0.1:1' });
    expect(out).toMatch(/^Redis: connect ECONNREFUSED 127\.0\.0\.1:1$/m);
    expect(out).not.toMatch(/^ +at /m);
    expect(out).not.toContain('secret');
    expect(code).toBe(1);
    expect(service.posts).toHaveLength(0);
  });

  it.each([
    ['REDIS_URL', 'redis://:sec#ret@localhost:6379x'],
    ['REDIS_URL', 'redis://user:12#ret@localhost:6379'],
    ['REDIS_URL', 'localhost:sec#ret@6379'],
    ['REDIS_URL', 'http://user:secret@localhost:6379'],
    ['DATABASE_URL', 'postgres://user:sec#ret@localhost:54x/db'],
    ['DATABASE_URL', 'postgres://user:12#ret@localhost:5432/db'],
  ])('a malformed %s is named, without its password: %s', { timeout: 30_000 }, async (name, url) => {
    const { code, out } = await run({ [name]: url });
    expect(out).toMatch(new RegExp(`^${name} `, 'm'));
    expect(out).not.toMatch(/sec|12|ret@/);
    expect(out).not.toMatch(/^ +at /m);
    expect(code).toBe(1);
    expect(service.posts).toHaveLength(0);
  });
});

describe('a time that is past', () => {
  const past = () => `2020-03-29T09:00,Europe/Berlin,bluesky:${accountId}`;

  it.each([[[]], [['--dry-run']]])('is a problem like all others %j', { timeout: 30_000 }, async (args) => {
    const file = await campaign([`a,A,${past()}`, `b,,${past()}`, `c,C,${past()}`]);
    const { code, out } = await start([file, '--db', join(folder, 'db'), ...args]).ended;
    expect(out.split('\n').filter((line) => line.startsWith('line '))).toEqual([
      expect.stringMatching(/^line 2, time: is past/),
      'line 3, content: is empty',
      expect.stringMatching(/^line 4, time: is past/),
    ]);
    expect(code).toBe(1);
    expect(service.posts).toHaveLength(0);
  });
});

describe('a store that can not be asked about past rows', () => {
  it('keeps nothing from being told that is wrong with the others', { timeout: 30_000 }, async () => {
    const target = `bluesky:${accountId}`;
    const file = await campaign([`a,A,2020-03-29T09:00,Europe/Berlin,${target}`, `b,,2030-03-29T09:00,UTC,${target}`]);
    const away = { REDIS_URL: '', DATABASE_URL: 'postgres://127.0.0.1:9/db' };
    for (const args of [[], ['--dry-run']]) {
      const { code, out } = await start([file, ...args], '', away).ended;
      expect(out).toContain('line 3, content: is empty');
      expect(code).toBe(1);
    }
    expect(service.posts).toHaveLength(0);
  });
});

describe.skipIf(!canKeep)('a run that is not the first', () => {
  let name = '';
  beforeEach(() => {
    // Real servers keep what earlier runs of this test left.
    name = `again-${String(Date.now())}`;
  });
  const row = (key: string, content: string, time = '2030-03-29T09:00:00Z') =>
    `${key},${content},${time},,bluesky:${accountId}`;
  const begin = (rows: readonly string[], ...args: string[]) =>
    start(['-', '--db', join(folder, 'db'), '--name', name, ...args], [header, ...rows].join('\n'));
  const run = (...args: Parameters<typeof begin>) => begin(...args).ended;
  const fault = (kind: 'reset_before' | 'reset_after_commit') =>
    service.faults.add({ route: 'POST /v1/posts/', kind, times: 1 });
  const refuse = (status: number, times: number, headers: Record<string, string> = {}) =>
    service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status, headers, times });
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 19) + 'Z';
  const until = (time: string) => sleep(Math.max(0, Date.parse(time) - Date.now()) + 50);
  const contents = () => service.posts.map(({ content }) => content);
  const creates = () => service.requests.filter(({ method }) => method === 'POST').length;

  describe('--not-sent', () => {
    it('sends what is in doubt', { timeout: 60_000 }, async () => {
      fault('reset_before');
      const first = await run([row('a', 'A')]);
      expect(first.out).toMatch(/^line 2: in_doubt: /m);
      expect(first.out).toContain('--not-sent');
      expect(first.code).toBe(2);
      expect((await run([row('a', 'A')], '--not-sent', 'a')).code).toBe(0);
      expect(contents()).toEqual(['A']);
      // The same again: it has a post.
      const again = await run([row('a', 'A')], '--not-sent', 'a');
      expect(again.out).toContain('--not-sent a: is not followed, as the row is accepted');
      expect(again.code).toBe(0);
      expect(creates()).toBe(2);
    });

    it(
      'is not followed for a send that is newer than it: killed, and the same command again',
      {
        timeout: 60_000,
      },
      async () => {
        fault('reset_before');
        await run([row('a', 'A')]);
        service.faults.add({ route: 'POST /v1/posts/', kind: 'timeout', commit: true, times: 1 });
        const { child, ended } = begin([row('a', 'A')], '--not-sent', 'a');
        await expect.poll(() => service.posts.length, { timeout: 30_000 }).toBe(1);
        child.kill('SIGKILL');
        await ended;
        // The lease of the one that was killed.
        await sleep(5_500);
        const { code } = await run([row('a', 'A')], '--not-sent', 'a');
        expect(contents()).toEqual(['A']);
        expect(code).toBe(0);
      },
    );

    it(
      'is not followed where the request is under way and nothing is listed: it is held, and said',
      {
        timeout: 60_000,
      },
      async () => {
        service.faults.add({ route: 'POST /v1/posts/', kind: 'timeout', times: 1 });
        const { child, ended } = begin([row('a', 'A')]);
        await expect.poll(creates, { timeout: 30_000 }).toBe(1);
        child.kill('SIGKILL');
        await ended;
        const { code, out } = await run([row('a', 'A')], '--not-sent', 'a');
        expect(out).toMatch(/^--not-sent a: .* run the command again/m);
        expect(out).toMatch(/^line 2: in_doubt: /m);
        expect(code).toBe(2);
        expect(creates()).toBe(1);
        expect((await run([row('a', 'A')], '--not-sent', 'a')).code).toBe(0);
        expect(contents()).toEqual(['A']);
      },
    );

    it('is not followed where the look fails: the post may be there', { timeout: 60_000 }, async () => {
      fault('reset_after_commit');
      service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 503 });
      expect((await run([row('a', 'A')])).code).toBe(2);
      const { code, out } = await run([row('a', 'A')], '--not-sent', 'a');
      expect(out).toMatch(/^--not-sent a: is not followed, as the row could not be looked for \(.*503.*\)/m);
      expect(code).toBe(2);
      expect(creates()).toBe(1);
      service.faults.clear();
      expect((await run([row('a', 'A')], '--not-sent', 'a')).code).toBe(0);
      expect([contents(), creates()]).toEqual([['A'], 1]);
    });

    it('is not followed where the post is listed meanwhile', { timeout: 60_000 }, async () => {
      fault('reset_after_commit');
      const lists = service.faults.add({ kind: 'listing_lag', lagMs: 3_600_000 });
      expect((await run([row('a', 'A')])).out).toMatch(/^line 2: in_doubt: /m);
      lists();
      await service.clock.advance({ hours: 1 });
      expect((await run([row('a', 'A')], '--not-sent', 'a')).code).toBe(0);
      expect(contents()).toEqual(['A']);
    });

    it('of a key that there is not is an error, and nothing is sent', { timeout: 60_000 }, async () => {
      for (const key of ['nobody', 'a']) {
        const { code, out } = await run([row('a', 'A')], '--not-sent', key);
        expect(out).toMatch(new RegExp(`^--not-sent ${key}: `, 'm'));
        expect(code).toBe(1);
      }
      expect(creates()).toBe(0);
    });
  });

  describe('where the time of a row is past', () => {
    it('one that was never sent is refused, with all others', { timeout: 90_000 }, async () => {
      const time = inSeconds(7);
      refuse(401, 1);
      expect((await run([row('a', 'A', time)])).out).toMatch(/^line 2: ready: /m);
      await until(time);
      for (const args of [['--dry-run'], []]) {
        const { code, out } = await run([row('a', 'A', time), row('b', 'B')], ...args);
        expect(out).toMatch(/^line 2, time: is past, .* a key of its own/m);
        expect(code).toBe(1);
      }
      expect(creates()).toBe(1);
    });

    it('one in doubt is looked for, and not sent by a word', { timeout: 60_000 }, async () => {
      const time = inSeconds(7);
      fault('reset_before');
      expect((await run([row('a', 'A', time)])).out).toMatch(/^line 2: in_doubt: /m);
      await until(time);
      const word = await run([row('a', 'A', time)], '--not-sent', 'a');
      expect(word.out).toMatch(/^line 2, time: is past/m);
      expect(word.code).toBe(1);
      const { code, out } = await run([row('a', 'A', time)]);
      expect(out).toMatch(/^line 2: in_doubt: /m);
      expect(code).toBe(2);
      expect(creates()).toBe(1);
    });

    it('one that was sent is done', { timeout: 60_000 }, async () => {
      const time = inSeconds(7);
      expect((await run([row('a', 'A', time)])).code).toBe(0);
      await until(time);
      expect((await run([row('a', 'A', time)], '--dry-run')).code).toBe(0);
      expect((await run([row('a', 'A', time)])).code).toBe(0);
      expect(contents()).toEqual(['A']);
    });

    it('one whose time passes while it waits is left out, and said', { timeout: 90_000 }, async () => {
      // The client tries three times by itself, in more than 6 seconds.
      const time = inSeconds(7);
      refuse(429, 3, { 'retry-after': '3' });
      const { code, out } = await run([row('a', 'A', time)]);
      expect(out).toMatch(/^line 2, time: is past/m);
      expect(code).toBe(2);
      expect(creates()).toBe(3);
    });
  });

  describe('while rows wait', () => {
    /** The client tries three times by itself. */
    const putOff = (times = 3) => refuse(429, times, { 'retry-after': '1' });

    it('a row whose content was changed stays refused', { timeout: 60_000 }, async () => {
      await run([row('a', 'Old')]);
      putOff();
      const { code, out } = await run([row('a', 'New'), row('b', 'B')]);
      expect(out).toMatch(/^line 2: rejected: .*another body/m);
      // That row has a post: there is nothing to say of it.
      expect(out).not.toContain('--not-sent');
      expect(code).toBe(2);
      expect(contents()).toEqual(['Old', 'B']);
    });

    it('Ctrl-C begins nothing new, and is not waited for', { timeout: 60_000 }, async () => {
      putOff();
      const { child, ended } = begin([row('a', 'A')]);
      const waits = new Promise<void>((resolve) => {
        child.stdout?.on('data', (chunk: Buffer) => {
          if (chunk.includes('Waiting')) resolve();
        });
      });
      await waits;
      const before = Date.now();
      child.kill('SIGINT');
      const { code, out } = await ended;
      expect(Date.now() - before).toBeLessThan(900);
      expect(out).toContain('Run it again');
      expect(code).toBe(130);
      expect(creates()).toBe(3);
    });

    it('those of another campaign are left alone', { timeout: 60_000 }, async () => {
      putOff();
      const { child, ended } = begin([row('a', 'A')], '--name', `${name}-other`);
      await expect.poll(creates, { timeout: 30_000 }).toBe(3);
      child.kill('SIGINT');
      await ended;
      service.faults.clear();
      const before = creates();
      putOff();
      const { code } = await run([row('b', 'B')]);
      expect(code).toBe(0);
      expect(contents()).toEqual(['B']);
      expect(creates()).toBe(before + 4);
    });

    it('a key that is refused is not tried again and again', { timeout: 90_000 }, async () => {
      refuse(401, 100);
      const { code, out } = await run([row('a', 'A')]);
      expect(out).toMatch(/^line 2: ready: /m);
      expect(code).toBe(2);
      expect(creates()).toBe(1);
    });
  });

  it('a row that the service refused says what to do', { timeout: 60_000 }, async () => {
    refuse(400, 1);
    const first = await run([row('a', 'A')]);
    expect(first.out).toMatch(/^line 2: rejected: /m);
    expect(first.out).toMatch(/^rejected: mend .*, then run it again with --not-sent KEY/m);
    expect(first.out).not.toContain('look once more');
    expect(first.code).toBe(2);
    expect((await run([row('a', 'A')])).code).toBe(2);
    expect((await run([row('a', 'A')], '--not-sent', 'a')).code).toBe(0);
    expect(contents()).toEqual(['A']);
  });
});

describe.skipIf(!canKeep)('a campaign of 40 posts', () => {
  const contents = Array.from({ length: 40 }, (_, index) => `Post ${String(index)}`);
  // Real servers keep what earlier runs of this test left.
  const name = `campaign-${String(Date.now())}`;
  const run = async (suffix: string, ...args: string[]) => {
    const file = await campaign(
      contents.map(
        (content, index) => `k${String(index)},${content},2030-03-29T09:00,Europe/Berlin,bluesky:${accountId}`,
      ),
    );
    return start([file, '--db', join(folder, 'db'), '--name', name + suffix, ...args]);
  };
  /** Each row has one post, but for those that are named as held. */
  const expectOnceEach = ({ out, code }: Ended) => {
    const sent = service.posts.map(({ content }) => content);
    expect(new Set(sent).size).toBe(sent.length);
    const held = [...out.matchAll(/^line (\d+): in_doubt/gm)].map(([, line]) => Number(line));
    expect(contents.filter((content) => !sent.includes(content))).toEqual(held.map((line) => contents[line - 2]));
    expect(code).toBe(held.length === 0 ? 0 : 2);
  };

  it('is killed twice, and each row is posted once all the same', { timeout: 120_000 }, async () => {
    service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs: 100 });
    for (const enough of [6, 18]) {
      const { child, ended } = await run('-killed');
      await expect.poll(() => service.posts.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(enough);
      child.kill('SIGKILL');
      expect((await ended).code).toBeNull();
      expect(service.posts.length).toBeLessThan(40);
    }
    const last = await (await run('-killed')).ended;
    expectOnceEach(last);
    // Once more: there is nothing left to do.
    const creates = () => service.requests.filter(({ method }) => method === 'POST').length;
    const before = creates();
    await (
      await run('-killed')
    ).ended;
    expect(creates()).toBe(before);
  });

  it('is stopped with Ctrl-C, says so, and goes on', { timeout: 120_000 }, async () => {
    service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs: 100 });
    const { child, ended } = await run('-stopped');
    await expect.poll(() => service.posts.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(6);
    child.kill('SIGINT');
    const { code, out } = await ended;
    expect(out).toContain('Run it again');
    expect(code).toBe(130);
    const { length } = service.posts;
    expect(length).toBeLessThan(40);
    const last = await (await run('-stopped')).ended;
    // Everything that was under way was noted: nothing is in doubt.
    expect(last.code).toBe(0);
    expectOnceEach(last);
    expect(service.posts).toHaveLength(40);
  });
});
