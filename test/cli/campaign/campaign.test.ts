import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { defaultRuntime } from '../../../src/core/runtime.js';
import { cliWorld, type CliOptions, type CliWorld } from '../../support/cli.js';
import { holdTimeouts } from '../../support/held-timeouts.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
});

const header = 'key,content,time,zone,targets';
const row = (key: string, content: string, time = '2099-03-29T09:00:00Z') =>
  `${key},${content},${time},,bluesky:${world.accountId}`;
const run = (rows: readonly string[], args: readonly string[] = [], options: CliOptions = {}) =>
  world.run(['campaign', '-', '--name', 'spring', ...args], { stdin: [header, ...rows].join('\n'), ...options });
const contents = () => world.service.posts.map(({ content }) => content);
const inSeconds = (seconds: number) => `${new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 19)}Z`;

describe('the check of all rows', () => {
  it('names each problem with its line and field, exits with 2 and sends nothing', async () => {
    const tiktokId = world.service.seed.integration({ platform: 'tiktok', username: 'acme' }).id;
    const target = `bluesky:${world.accountId}`;
    const rows = [
      `a,"Two`,
      `lines",2030-03-29T09:00,Europe/Berlin,${target}`,
      `b,,2030-03-29T09:00,Europe/Berlin,${target}`,
      `a,Again,2030-02-30T09:00,Europe/Berlin,${target}`,
      `c,Gap,2030-03-31T02:30,Europe/Berlin,${target}`,
      `d,Overlap,2030-10-27T02:30,Europe/Berlin,${target}`,
      `e,No zone,2030-03-29T09:00,,${target}`,
      `f,No such zone,2030-03-29T09:00,Europe/Atlantis,${target}`,
      `g,Targets,2030-03-29T09:00,Europe/Berlin,myspace:x bluesky:nobody bluesky:${tiktokId}`,
      `h,Past,2020-03-29T09:00,Europe/Berlin,${target}`,
    ];
    const { code, err } = await run(rows.slice(0, -1));
    expect(code).toBe(2);
    expect(err.split('\n').filter((line) => line.startsWith('line '))).toEqual([
      'line 4, content: is empty',
      "line 5, time: '2030-02-30T09:00' names a day that does not exist: 2030-02 has 28 days",
      'line 5, key: is the same as in line 2',
      expect.stringMatching(
        /^line 6, time: '2030-03-31T02:30' does not exist .*2030-03-31T01:30:00\+01:00.*2030-03-31T03:30:00\+02:00/,
      ),
      expect.stringMatching(
        /^line 7, time: '2030-10-27T02:30' occurs twice .*2030-10-27T02:30:00\+02:00.*2030-10-27T02:30:00\+01:00/,
      ),
      expect.stringMatching(/^line 8, zone: is empty/),
      expect.stringMatching(/^line 9, zone: 'Europe\/Atlantis' must be an IANA time zone/),
      expect.stringMatching(/^line 10, targets: 'myspace:x' must be a platform/),
      "line 10, targets: there is no connected account 'nobody'",
      expect.stringMatching(/^line 10, targets: the account .* is on tiktok, not on bluesky$/),
    ]);
    const asJson = await run(rows.slice(0, -1), ['--json']);
    const { error } = JSON.parse(asJson.err) as { error: { issues: readonly unknown[] } };
    expect(error.issues).toHaveLength(10);
    expect(contents()).toEqual([]);
  });

  it('reads columns with another separator, and refuses a separator of several characters', async () => {
    const withSeparator = (text: string) => ({
      stdin: [header, row('a', 'A')].join('\n').replaceAll(',', text),
    });
    for (const [name, text] of [
      ['tab', '\t'],
      [';', ';'],
    ] as const) {
      const { code, err } = await run([], ['--delimiter', name, '--dry-run'], withSeparator(text));
      expect([code, err]).toEqual([0, expect.stringContaining('1 post. Nothing was sent.')]);
    }
    const { code, err } = await run([], ['--delimiter', '::'], withSeparator('::'));
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("--delimiter must be one character, such as ';', or tab."),
    ]);
  });

  it('names the columns that it needs', async () => {
    const { code, err } = await run([], [], { stdin: 'key,content,zone,targets,notes' });
    expect(code).toBe(2);
    const known = 'key, content, time, zone, targets';
    expect(err).toContain(`time: is missing; the columns are ${known}`);
    expect(err).toContain(`notes: is not a column of a campaign; the columns are ${known}`);
  });

  it('refuses a time in the past, unless an earlier run sent the row', async () => {
    for (const args of [[], ['--dry-run']]) {
      const now = Date.parse('2030-03-29T09:00:00Z');
      for (const time of ['2020-03-29T09:00:00Z', '2030-03-29T09:00:00Z']) {
        const { code, err } = await run([row('a', 'A', time)], args, { now: () => now });
        expect(code).toBe(2);
        expect(err).toMatch(/^line 2, time: is in the past/);
      }
    }
    const soon = inSeconds(240);
    expect((await run([row('b', 'B', soon)], ['--yes'])).code).toBe(0);
    const later = { now: () => Date.parse(soon) + 1_000 };
    expect((await run([row('b', 'B', soon)], [], later)).code).toBe(0);
    expect(world.creates()).toBe(1);
  });

  it('with a time in the past that the store keeps is edited or cancelled under its key', async () => {
    const [late, next] = ['2030-03-29T09:00:00Z', '2030-04-01T09:00:00Z'];
    expect((await run([row('it is', 'Kept', late)], ['--send-ahead', '10m'])).code).toBe(0);
    const clock = { now: () => Date.parse(late) + 60_000 };
    for (const args of [[], ['--dry-run']]) {
      const { code, err } = await run([row('it is', 'Kept', late)], [...args, '--base-url', world.url], clock);
      expect(code).toBe(2);
      const name = `'spring/it is' --base-url ${world.url}`;
      expect(err).toContain(`intents edit ${name} --scheduled-for TIME`);
      expect(err).toContain(`intents cancel ${name},`);
      expect(err).not.toContain('change its time and its key');
    }
    for (let times = 0; times < 2; times += 1) {
      const edited = await world.run(['intents', 'edit', 'spring/it is', '--scheduled-for', next], clock);
      expect(edited.code).toBe(0);
      expect((await run([row('it is', 'Kept', next)], ['--send-ahead', '10m'], clock)).code).toBe(0);
    }
    const due = { now: () => Date.parse(next) - 60_000 };
    for (let times = 0; times < 2; times += 1) await world.run(['intents', 'sweep', '--yes'], due);
    expect(world.creates()).toBe(1);
  });

  it.each([
    [['--gap', 'never'], 'gap'],
    [['--concurrency', '0'], '--concurrency'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await run([`a,A,2030-03-29T09:00,Europe/Berlin,bluesky:${world.accountId}`], args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('a dry run', () => {
  it('prints the request of each row, and sends nothing', async () => {
    const csv = [`x,"Hello, ""world""",2030-03-31T02:30,Europe/Berlin,bluesky:${world.accountId}`];
    const { code, json } = await run(csv, ['--dry-run', '--gap', 'later']);
    expect([code, json()]).toMatchObject([
      0,
      [
        {
          line: 2,
          key: 'spring/x',
          dryRun: true,
          method: 'POST',
          url: `${world.url}/v1/posts/`,
          headers: { 'content-type': 'application/json', 'x-access-key': '***' },
          body: { content: 'Hello, "world"', scheduledFor: '2030-03-31T03:30:00+02:00' },
        },
      ],
    ]);
    const table = await run(csv, ['--dry-run', '--gap', 'later'], { tty: true });
    expect(table.out).toContain(`method: POST\nroute: /v1/posts/\nurl: ${world.url}/v1/posts/\nheaders:\n`);
    expect(table.out).toContain('x-access-key: ***');
    expect(table.out).toMatch(/2 +spring\/x +2030-03-31T03:30:00\+02:00 +bluesky +Hello, "world"/);
    expect(contents()).toEqual([]);
  });
});

describe('a campaign', () => {
  const rows = () => Array.from({ length: 30 }, (_, index) => row(`k${String(index)}`, `Post ${String(index)}`));

  it('schedules each row once, however often it runs', async () => {
    const { code, json } = await run(rows());
    expect([code, json()]).toMatchObject([0, { total: 30, scheduled: 30 }]);
    expect((await run(rows())).code).toBe(0);
    expect(world.creates()).toBe(30);
    const lines = await run(rows(), ['--ndjson']);
    expect(
      lines.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { state: string }).state),
    ).toEqual(Array.from({ length: 30 }, () => 'accepted'));
    expect((await run(rows(), [], { tty: true })).out).toBe('All 30 rows are scheduled.\n');
  });

  it('schedules a row once, in whichever Unicode form the name and the key are', async () => {
    const name = 'Gr\u00fc\u00dfe';
    for (const form of ['NFD', 'NFC']) {
      for (const key of ['caf\u00e9', 'cafe\u0301']) {
        const stdin = [header, row(key, 'A')].join('\n');
        const { code, out } = await world.run(['campaign', '-', '--name', name.normalize(form), '--json'], { stdin });
        expect(code).toBe(0);
        expect(out).toContain('"accepted"');
      }
    }
    expect(world.creates()).toBe(1);
    expect((await run([row('caf\u00e9', 'A'), row('cafe\u0301', 'B')])).err).toContain('is the same as in line 2');
  });

  it('asks before something goes out within 5 minutes', async () => {
    const { code, err } = await run([row('a', 'A', inSeconds(240)), row('b', 'B')]);
    expect(code).toBe(5);
    expect(err).toContain('1 post to go out within 5 minutes');
    expect(world.creates()).toBe(0);
  });

  it('ends with 4 while a row is in doubt; a decision and the same command send it', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    const first = await run([row('a', 'A'), row('b', 'B')], ['--concurrency', '1']);
    expect(first.code).toBe(4);
    expect(first.err).toMatch(/^line 2: in_doubt: /m);
    expect(first.err).toMatch(/^in_doubt: .*Wait until .*intents show KEY$/m);
    const later = await run([row('a', 'A'), row('b', 'B')], [], { now: () => Date.now() + 601_000 });
    expect(later.code).toBe(4);
    expect(later.err).toMatch(/^in_doubt: .*intents resolve KEY --as published .* use --as not_sent/m);
    expect((await world.run(['intents', 'resolve', 'spring/a', '--as', 'not_sent', '--yes'])).code).toBe(0);
    expect((await run([row('a', 'A'), row('b', 'B')])).code).toBe(0);
    expect(contents().sort()).toEqual(['A', 'B']);
  });

  it('reports a row that the service rejects, and a row that was changed, with 3', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 400, times: 1 });
    const refused = await run([row('a', 'A')]);
    expect(refused.code).toBe(3);
    expect(refused.err).toMatch(/^line 2: rejected: /m);
    await run([row('b', 'Old')]);
    const changed = await run([row('b', 'New')]);
    expect(changed.code).toBe(3);
    expect(changed.err).toMatch(/another body/);
    expect(changed.err).not.toMatch(/publisher\.get/);
    expect(contents()).toEqual(['Old']);
  });

  it('does not repeat a refused key: 1', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 401 });
    const { code, err } = await run([row('a', 'A')]);
    expect(code).toBe(1);
    expect(err).toMatch(/^line 2: ready: /m);
    expect(world.creates()).toBe(1);
  });

  it('waits with --wait for the rows that another process is sending', async () => {
    const latencyMs = 19_001;
    const held = holdTimeouts(latencyMs);
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs, times: 1 });
    const other = run([row('a', 'A')]);
    await expect.poll(() => world.creates()).toBe(1);
    expect((await run([row('a', 'A')])).code).toBe(4);
    let isWaiting = false;
    const waiting = run([row('a', 'A')], ['--wait'], {
      onError: (text) => (isWaiting ||= text === 'Waiting for 1 more …\n'),
    });
    await expect.poll(() => isWaiting).toBe(true);
    held.expire();
    expect((await waiting).code).toBe(0);
    expect((await other).code).toBe(0);
    expect(contents()).toEqual(['A']);
  });

  it('does not send a row whose time passes while it sends others, and says what to do', async () => {
    const start = Date.now();
    const time = `${new Date(start + 200_000).toISOString().slice(0, 19)}Z`;
    const clock = { now: () => start + world.creates() * 300_000 };
    const { code, json, err } = await run([row('a', 'A'), row('b', 'B', time)], ['--concurrency', '1', '--yes'], clock);
    expect([code, json()]).toMatchObject([
      1,
      {
        total: 2,
        scheduled: 1,
        rows: [
          { line: 2, state: 'accepted' },
          { line: 3, key: 'spring/b', state: 'late' },
        ],
      },
    ]);
    expect(err).toContain(
      'line 3, time: is in the past, and the store does not show that the row was sent: check --store. If the row is new, ' +
        'change its time, or remove the row\n',
    );
    expect(contents()).toEqual(['A']);
  });

  it('gives its advice once for all rows in doubt, with the time of the last send', async () => {
    const start = Date.now();
    for (const [passedMs, rows] of [
      [0, [row('a', 'A')]],
      [200_000, [row('a', 'A'), row('b', 'B')]],
      [400_000, [row('a', 'A'), row('b', 'B'), row('c', 'C')]],
    ] as const) {
      world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
      const { code, err } = await run(rows, [], { now: () => start + passedMs });
      expect(code).toBe(4);
      const until = new Date(start + passedMs + 600_000).toISOString();
      expect(err.match(/Wait until \S+,/g)).toEqual([`Wait until ${until},`]);
      expect(err.match(/^in_doubt: /gm)).toHaveLength(1);
    }
  });

  it('shows its progress on a terminal, in one line that it overwrites, and then its result', async () => {
    const file = join(temporaryFolder('cli'), 'spring.csv');
    await writeFile(file, [header, row('a', 'A'), row('b', 'B')].join('\n'));
    const { code, err, json } = await world.run(['campaign', file, '--concurrency', '1'], { answer: '' });
    const { store } = json() as { store: string };
    expect([code, err]).toEqual([
      0,
      `\r${'█'.repeat(15)}${'░'.repeat(15)} 1 of 2  1 accepted\x1b[K\r${'█'.repeat(30)} 2 of 2  2 accepted\x1b[K\n` +
        `2 accepted (kept in ${store})\n`,
    ]);
  });

  describe('that meets a service that is down', () => {
    // The creates that met it are in doubt.
    const down = () => world.service.faults.add({ kind: 'outage', effect: 'refused', route: 'POST /v1/posts/' });

    it('notes each pause once, as text or JSON, and continues', async () => {
      for (const [name, args] of [
        ['text', []],
        ['json', ['--json']],
      ] as const) {
        const isUp = down();
        const notes: string[] = [];
        const { code } = await run(rows(), ['--name', name, '--concurrency', '2', ...args], {
          onError: (text) => {
            if (!/waiting/i.test(text)) return;
            notes.push(text);
            if (notes.length === 2) isUp();
          },
        });
        expect(code).toBe(4);
        if (name === 'text')
          expect(notes).toEqual([
            expect.stringMatching(/^Waiting: the service is down since \d\d:\d\d:\d\dZ, next try in 1 s\.\n$/),
            expect.stringMatching(/^Waiting: the service is down since \d\d:\d\d:\d\dZ, next try in 2 s\.\n$/),
          ]);
        else
          expect(notes.map((note) => JSON.parse(note) as unknown)).toEqual(
            [1_000, 2_000].map((waitingMs) => ({
              waiting: { waitingMs, waitingSince: expect.stringMatching(/^\d{4}-.*Z$/) as string },
            })),
          );
      }
    });

    it('for too long: leaves the other rows to the next run', async () => {
      const isUp = down();
      let passedMs = 0;
      const clock = vi.spyOn(defaultRuntime, 'monotonic').mockImplementation(() => performance.now() + passedMs);
      onTestFinished(() => {
        clock.mockRestore();
      });
      const onError = (text: string) => {
        if (text.startsWith('Waiting')) passedMs += 300_000;
      };
      const { code, json, err } = await run(rows(), ['--concurrency', '2'], { onError });
      expect([code, err]).toEqual([
        4,
        expect.stringContaining(
          '\nThe service did not answer for too long. Run the command again: it continues, and sends nothing twice.\n',
        ),
      ]);
      const { rows: results } = json() as { rows: readonly { state: string }[] };
      expect(results.at(-1)).toEqual({ line: 31, key: 'spring/k29', state: 'not_tried' });
      isUp();
      const inDoubt = results.filter(({ state }) => state === 'in_doubt');
      expect((await run(rows())).code).toBe(4);
      expect(contents()).toHaveLength(30 - inDoubt.length);
    });
  });

  it('finishes what is under way after Ctrl-C, and continues in the next run', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs: 50 });
    const stop = new AbortController();
    const running = run(rows(), [], { signal: stop.signal });
    await expect.poll(() => world.service.posts.length, { interval: 2 }).toBeGreaterThan(5);
    stop.abort();
    const { code, err } = await running;
    expect(code).toBe(130);
    expect(err).toContain('Run the command again');
    expect(world.service.posts.length).toBeLessThan(30);
    expect((await run(rows())).code).toBe(0);
    expect(world.creates()).toBe(30);
  });
});
