import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasSqlite, programWorld, startProgram, type Ended, type ProgramWorld } from '../../support/run-program.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let folder: string;
let world: ProgramWorld;
let account: string;

beforeEach(async () => {
  folder = temporaryFolder('late-send');
  world = await programWorld();
  account = world.service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
});

const start = (args: readonly string[], stdin = '') =>
  startProgram('late-send', [...args, '--db', join(folder, 'db')], {
    env: { SOCIAL_PUBLISHING_BASE_URL: world.url, SOCIAL_PUBLISHING_ACCESS_KEY: 'key' },
    stdin,
  });
const run = (args: readonly string[], stdin?: string): Promise<Ended> => start(args, stdin).ended;
const contents = () => world.service.posts.map(({ content }) => content).sort();

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
/** Posts whose time has come, and posts that wait. */
const table = (name = '') =>
  [
    ...['a', 'b', 'c', 'd'].map((key) => `${key}${name} ${inMinutes(30)} Text of ${key}${name}`),
    ...(name === '' || name === '0' ? ['later', 'gone'] : []).map(
      (key) => `${key} ${inMinutes(24 * 60)} Text of ${key}`,
    ),
  ].join('\n');

describe.skipIf(!hasSqlite)('the late send', () => {
  it('keeps, edits, cancels and pauses posts, and sends each once', async () => {
    const lines = table();
    const add = ['add', '-', '--to', account, '--ahead', '25'];
    for (let times = 0; times < 2; times += 1) expect((await run(add, lines)).code).toBe(0);
    expect(contents()).toEqual([]);
    for (let times = 0; times < 2; times += 1) {
      expect(await run(['edit', 'a', 'Edited'])).toMatchObject({ code: 0, err: '' });
      expect(await run(['cancel', 'gone'])).toMatchObject({ code: 0, err: '' });
    }
    const again = await run(add, lines);
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringContaining('a  was edited, and stays as it is') as string,
    });
    expect((await run(['list'])).out).toMatch(/^a {2}ready {2}\S+ {2}Edited\nb /);
    expect((await run(['cancel', 'nothing'])).code).toBe(1);
    expect(await run(['sweep', '--paused'])).toMatchObject({ code: 0, out: '' });
    expect(contents()).toEqual([]);
  });

  it('survives kills: no post goes out twice, no cancelled one goes out, and an edited one has its new text', async () => {
    const add = ['add', '-', '--to', account, '--ahead', '60'];
    const latency = { kind: 'latency', latencyMs: 40 } as const;
    world.service.faults.add(latency);
    // Two posts wait for a day. The others are due: they are sent while they are added.
    const calls: readonly (readonly string[])[] = [add, ['edit', 'later', 'Edited'], ['cancel', 'gone'], ['sweep']];
    const requests = () => world.service.requests.length;
    let kills = 0;
    let lines = '';
    for (let round = 0; round < 24; round += 1) {
      const before = requests();
      // Each `add` has new lines, after those of before.
      lines += `${table(String(round))}\n`;
      const program = start(calls[round % 4] ?? add, lines);
      const isRunning = () => program.child.exitCode === null;
      // `add` is killed at one of its requests, the others at a time that varies.
      const killAt = Date.now() + 150 + 40 * (round % 8);
      const isTime = () => (round % 4 === 0 ? requests() >= before + 1 + (round % 9) : Date.now() >= killAt);
      while (isRunning() && !isTime()) await sleep(5);
      if (isRunning() && program.child.kill('SIGKILL')) kills += 1;
      await program.ended;
    }
    for (const call of calls) await run(call, lines);
    expect(kills).toBeGreaterThan(0);
    expect(contents()).toEqual([...new Set(contents())]);
    expect(contents().every((content) => /^Text of [abcd]\d+$/.test(content ?? ''))).toBe(true);
    const { out } = await run(['list']);
    expect(out).toMatch(/^later {2}ready {2}\S+ {2}Edited\n$/);
    process.stdout.write(`late-send: ${String(kills)} kills, ${String(contents().length)} posts, none twice\n`);
  });
});
