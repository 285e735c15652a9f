/** A user who does exactly what the command and its MCP server advise, twice, publishes nothing twice. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { SocialPublishing, type Outcome } from '../../src/index.js';
import { createPublisher, MemoryDurableStore, type Intent } from '../../src/publisher/index.js';
import { ofOtherIntentText } from '../../src/publisher/intents/intent-record.js';
import { optionsOf, quoted, Session } from '../../src/cli/command.js';
import { intentExitCode, nextStep, worstExitCode } from '../../src/cli/publisher.js';
import { findStore } from '../../src/cli/store.js';
import type { OpenCommandStore } from '../../src/cli/output.js';
import { accessKey, cliWorld, runCommand, type CliWorld } from '../support/cli.js';
import { withMcpAgent } from './mcp-agent.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let world: CliWorld;
/** A store in memory for each file that the command opens. */
let files: Map<string, MemoryDurableStore>;
beforeEach(async () => {
  world = await cliWorld();
  files = new Map();
});

function openFile(file: string): Promise<OpenCommandStore> {
  const store = files.get(file) ?? new MemoryDurableStore();
  files.set(file, store);
  return Promise.resolve({ store, close: () => undefined });
}

/** Runs the command in a terminal whose environment has other settings than the server's. */
function inTerminal(args: readonly string[]) {
  const env = { SOCIAL_PUBLISHING_ACCESS_KEY: accessKey, XDG_STATE_HOME: '/nonexistent' };
  return runCommand([...args, '--yes'], { env }, openFile);
}

/** The arguments of the command that a text contains. */
function commandIn(text: string, name: string): string[] {
  const [, found = ''] = new RegExp(`social-publishing (${name} [^\`\\n]*)`).exec(text) ?? [];
  return wordsOf(found);
}

/** The words of a command, as a shell reads them. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

it('names the scope of another program if a key is not found', async () => {
  const { store } = await openFile('shared.db');
  const client = new SocialPublishing({ baseUrl: world.url, accessKey });
  const publisher = createPublisher({ client, store, scope: 'shop' });
  await publisher.publish('spring', { content: 'Spring', saveAsDraft: true });
  const args = ['intents', 'show', 'spring', '--store', 'shared.db', '--base-url', world.url];
  const { code, err } = await runCommand(args, { env: { SOCIAL_PUBLISHING_ACCESS_KEY: accessKey } }, openFile);
  expect(code).not.toBe(0);
  expect(err).toContain('option `scope` of createPublisher');
  expect(world.creates()).toBe(1);
});

describe('each state of an intent', () => {
  const now = Date.parse('2027-03-01T08:00:00Z');
  const ago = (ms: number) => new Date(now - ms).toISOString();
  const times = { createdAt: ago(3_600_000), updatedAt: ago(0), sentAt: ago(3_600_000) };
  const body = { content: 'A', saveAsDraft: true } as const;
  const intent = (more: Pick<Intent, 'state'> & Partial<Intent>): Intent => ({
    ...{ key: 'it is', body, attempts: 1, replayed: true },
    ...times,
    ...more,
  });
  const failed = (outcome: Outcome, status?: number): NonNullable<Intent['error']> => ({
    ...{ name: 'ApiError', message: 'It failed.', outcome },
    ...(status !== undefined && { status }),
  });
  const settled = new Date(now - 1_000 + 600_000).toISOString();
  const again = 'If it was in doubt, the list is searched for its post once more before it is sent.';
  const check =
    'Do not publish it under another key. Check the service. If the post exists, run: social-publishing intents resolve ' +
    "'it is' --store s.db --as published --post-id ID. If it does not, use --as not_sent, and publish again.";

  it.each<[Intent, number, sweep: string | undefined, thisCommand?: string]>([
    [
      intent({ state: 'ready', attempts: 0, sendAt: ago(-1) }),
      0,
      `A sweep sends it from ${ago(-1)} on. Run this regularly: social-publishing intents sweep --store s.db. Until then, to ` +
        "change it, use: social-publishing intents cancel 'it is' --store s.db, or intents edit.",
    ],
    [
      intent({ state: 'ready', attempts: 0 }),
      1,
      'Nothing was sent. To send all due intents, run: social-publishing intents sweep --store s.db',
      'Nothing was sent. Run the same command again.',
    ],
    [
      intent({ state: 'ready', sendAt: ago(0), error: failed('rejected', 401) }),
      1,
      'Nothing was sent. Fix the access key. To send all due intents, run: social-publishing intents sweep --store s.db',
      'Nothing was sent. Fix the access key. Run the same command again.',
    ],
    [
      intent({ state: 'ready', error: failed('not_sent', 403) }),
      1,
      'Nothing was sent. Fix the access key. To send all due intents, run: social-publishing intents sweep --store s.db',
      'Nothing was sent. Fix the access key. Run the same command again.',
    ],
    [
      intent({ state: 'ready' }),
      1,
      `${again} To send all due intents, run: social-publishing intents sweep --store s.db`,
      `${again} Run the same command again.`,
    ],
    [
      intent({ state: 'ready', sentAt: ago(1_000), error: failed('unknown') }),
      1,
      `If its last send was in doubt, wait until ${settled}, because the service may still execute it or list its post. ` +
        `${again} To send all due intents, run: social-publishing intents sweep --store s.db`,
      `If its last send was in doubt, wait until ${settled}, because the service may still execute it or list its post. ` +
        `${again} Run the same command again.`,
    ],
    [
      intent({ state: 'sending' }),
      4,
      'The process that sends it has recorded no result. Run: social-publishing intents sweep --no-send --store s.db',
    ],
    [
      intent({ state: 'in_doubt', sentAt: ago(1_000) }),
      4,
      `Do not publish it under another key. Wait until ${settled}, because the service may still execute it or list its ` +
        'post. Then run: social-publishing intents sweep --no-send --store s.db, and then: social-publishing intents show ' +
        "'it is' --store s.db",
    ],
    [intent({ state: 'in_doubt' }), 4, check],
    [
      intent({ state: 'in_doubt', attempts: 2 }),
      4,
      `${check} If the service refuses it again, check the service again. Only if the post still does not exist, use --as ` +
        'abandoned, then another key.',
    ],
    [
      intent({ state: 'in_doubt', error: { ...failed('unknown'), message: ofOtherIntentText } }),
      4,
      "Its post belongs to another intent. Run: social-publishing intents resolve 'it is' --store s.db --as abandoned",
    ],
    [
      intent({ state: 'rejected', sendAt: ago(1), error: failed('not_sent') }),
      3,
      "Nothing was sent. To publish it at another time, run: social-publishing intents edit 'it is' --store s.db " +
        '--scheduled-for TIME. To publish it now, use intents resolve with --as not_sent, then intents sweep.',
    ],
    ...[{ error: failed('not_sent') }, { error: failed('rejected'), sendAt: ago(1) }].map(
      (more): [Intent, number, string] => [
        intent({ state: 'rejected', ...more }),
        3,
        'Fix the cause that the message names. If the content stays the same, run: social-publishing intents resolve ' +
          "'it is' --store s.db --as not_sent, and publish again. Other content needs another key.",
      ],
    ),
    [intent({ state: 'accepted' }), 0, undefined],
    [intent({ state: 'published' }), 0, undefined],
    [intent({ state: 'partial' }), 3, undefined],
    [intent({ state: 'partial', targets: [{ platform: 'bluesky', state: 'published' }] }), 0, undefined],
    [intent({ state: 'partial', targets: [{ state: 'published' }, { state: 'failed' }] }), 3, undefined],
    [intent({ state: 'failed' }), 3, undefined],
    [intent({ state: 'abandoned' }), 3, undefined],
  ])('has its exit code and its next step: %j', (one, exitCode, sweep, thisCommand = sweep) => {
    expect(intentExitCode(one, now)).toBe(exitCode);
    expect(nextStep(one, ' --store s.db', 'sweep', now)).toBe(sweep);
    expect(nextStep(one, ' --store s.db', 'this command', now)).toBe(thisCommand);
  });

  it.each([
    [[0, 1, 3, 4], 4],
    [[1, 3, 0], 3],
    [[0, 1], 1],
    [[0], 0],
    [[], 0],
  ] as const)('of several intents with %j, the worst exit code is %i', (codes, worst) => {
    expect(worstExitCode(codes)).toBe(worst);
  });

  it.each([
    ['spring/teaser-1.a:b_c', 'spring/teaser-1.a:b_c'],
    ['it is', "'it is'"],
    ["it's", String.raw`'it'\''s'`],
    ['$(ls)', "'$(ls)'"],
    ['ä', "'ä'"],
    ['', "''"],
  ])('the key %j is one word for a shell', (key, word) => {
    expect(quoted(key)).toBe(word);
  });

  it('a value that begins with - cannot be read as an option', () => {
    expect(optionsOf({ '--store': undefined, '--access-key-file': '-the key' })).toBe("--access-key-file='-the key'");
  });
});

describe('needs_approval of the MCP server', () => {
  const created = () => ({
    name: 'create_post',
    arguments: { key: 'spring', content: 'Spring', mode: 'publish', accountIds: [world.accountId] },
  });

  const withAgent = (args: readonly string[], work: (client: Client) => Promise<void>) =>
    withMcpAgent(['--base-url', world.url, ...args], { accessKey, openFile }, work);

  const nextOf = async (client: Client, call: { name: string; arguments: Record<string, unknown> }) =>
    ((await client.callTool(call)).structuredContent as { status: string; next: string }).next;

  it.each([[['--store', 'stores/own posts.db']], [[]]])(
    'names the service and the store (mcp %j): the user runs the command twice, the agent repeats its call, one post',
    async (args) => {
      await withAgent(args, async (client) => {
        const next = await nextOf(client, created());
        const publish = commandIn(next, 'publish').map((word) => (word === 'KEY' ? 'spring' : word));
        expect(publish).toEqual(expect.arrayContaining(['--base-url', world.url, '--store']));
        const post = ['--content', 'Spring', '--target', `bluesky:${world.accountId}`, '--publish-now'];
        for (let run = 0; run < 2; run += 1) expect((await inTerminal([...publish, ...post])).code).toBe(0);
        const again = await client.callTool(created());
        expect(again.structuredContent).toMatchObject({ status: 'ok', data: { replayed: true } });
      });
      expect(world.creates()).toBe(1);
    },
  );

  it.each([
    ['postgres://me:hidden-word@db.example/posts', undefined],
    ['postgres://db.example/posts?password=hidden-word', undefined],
    ['redis://db.example/0', 'redis://db.example/0'],
    ['posts.db', join(process.cwd(), 'posts.db')],
  ])('the store %s is named from any folder, unless its URL has a password', (address, option) => {
    const env = { SOCIAL_PUBLISHING_STORE: address };
    const session = new Session({ ...process, env, signal: new AbortController().signal, now: Date.now });
    expect(findStore(session).option).toBe(option);
  });
});

describe('the lookup of a create in doubt', () => {
  const create = () => ['posts', 'create', '--content', 'A', '--target', `bluesky:${world.accountId}`, '--publish-now'];

  it('searches the same service, and far enough back for a wrong clock', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 });
    // The clock of this machine is an hour ahead.
    const env = { SOCIAL_PUBLISHING_ACCESS_KEY: accessKey, SOCIAL_PUBLISHING_BASE_URL: 'http://127.0.0.1:9' };
    const options = { env, now: () => Date.now() + 3_600_000 };
    const { code, err } = await runCommand([...create(), '--yes', '--base-url', world.url], options);
    expect(code).toBe(4);
    const found = await runCommand(commandIn(err, 'posts'), { env });
    expect(found.json()).toMatchObject([{ content: 'A' }]);
    expect(err).toContain('The list can show a new post late');
  });
});

describe('advice about intents', () => {
  const held = async (command: readonly string[]) => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    return world.run([...command, '--base-url', world.url, '--store', 'stores/own.db', '--yes']);
  };

  it('of a campaign names the store: resolve and the same campaign, twice, schedule the row once', async () => {
    const folder = temporaryFolder('cli');
    const file = join(folder, 'spring.csv');
    await writeFile(file, `key,content,time,targets\na,A,2099-01-01T09:00:00Z,bluesky:${world.accountId}\n`);
    const { code, err } = await held(['campaign', file]);
    expect(code).toBe(4);
    expect(err).toMatch(/Wait until \S+, because/);
    expect(err).not.toContain('not_sent');
    // 10 minutes after the send.
    const now = () => Date.now() + 601_000;
    const later = await world.run(['campaign', file, '--store', 'stores/own.db', '--base-url', world.url, '--yes'], {
      now,
    });
    expect(later.err).toContain('If it does not, use --as not_sent');
    const advised = commandIn(later.err, 'intents').map((word) => (word === 'KEY' ? 'spring/a' : word));
    const resolve = [...advised.slice(0, advised.indexOf('--as') + 1), 'not_sent'];
    expect(resolve).toEqual(expect.arrayContaining(['--store', join(process.cwd(), 'stores/own.db')]));
    const campaign = ['campaign', file, '--store', 'stores/own.db'];
    for (let run = 0; run < 2; run += 1) {
      await world.run([...resolve, '--yes']);
      expect((await world.run(campaign)).code).toBe(0);
    }
    expect(world.service.posts).toHaveLength(1);
  });

  it.each([
    ['is listed 9 minutes late', 'reset_after_commit'],
    ['was never created', 'reset_before'],
  ] as const)('is followed to the letter, each command twice: a post that %s is published once', async (_, kind) => {
    let passedMs = 0;
    const now = () => Date.now() + passedMs;
    const pass = async (ms: number) => {
      passedMs += ms;
      await world.service.clock.advance({ seconds: ms / 1_000 });
    };
    world.service.faults.add({ kind: 'listing_lag', lagMs: 540_000 });
    world.service.faults.add({ kind, route: 'POST /v1/posts/', times: 1 });
    const at = ['--base-url', world.url, '--store', 'stores/own.db'];
    const target = `bluesky:${world.accountId}`;
    const publish = [
      'publish',
      '--key',
      'spring',
      '--content',
      'A',
      '--target',
      target,
      '--publish-now',
      '--yes',
      ...at,
    ];
    const run = (args: readonly string[]) => world.run([...args, '--json'], { now });
    let { next } = (await run(publish)).json() as { next?: string };
    await pass(400_000);
    await run(['intents', 'sweep', ...at]);
    for (let step = 0; step < 9 && next !== undefined; step += 1) {
      const [, until = ''] = /Wait until (\S+), because/.exec(next) ?? [];
      if (until === '') {
        // 'Check the service. If the post exists, … If it does not, use --as not_sent, and publish again.'
        const listed = (await run(['posts', 'list', '--all', '--base-url', world.url])).json() as { postId: string }[];
        const advised = commandIn(next, 'intents');
        const decision = listed[0] ? ['published', '--post-id', listed[0].postId] : ['not_sent'];
        const resolve = [...advised.slice(0, advised.indexOf('--as') + 1), ...decision, '--yes'];
        for (const command of [resolve, publish, resolve, publish]) await run(command);
      } else {
        await pass(Math.max(0, Date.parse(until) - now()));
        for (const [, command = ''] of next.matchAll(/social-publishing (intents (?:sweep|show)[^,]*)/g))
          for (let twice = 0; twice < 2; twice += 1) await run(command.split(' '));
      }
      ({ next } = (await run(['intents', 'show', 'spring', ...at])).json() as { next?: string });
    }
    expect(next).toBeUndefined();
    expect(world.service.posts).toHaveLength(1);
  });

  it.each(['-spring', '--yes', '-h'])('about the key %s reaches its intent, copied literally', async (key) => {
    const at = ['--base-url', world.url, '--store', 'stores/own.db'];
    const create = ['--content', 'A', '--target', `bluesky:${world.accountId}`, '--publish-now'];
    world.service.faults.add({ kind: 'listing_lag', lagMs: 9_000_000 });
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 });
    const sent = await world.run(['publish', `--key=${key}`, ...create, '--yes', ...at]);
    const [, show = ''] = /and then: social-publishing (.*)/.exec((sent.json() as { next: string }).next) ?? [];
    const now = () => Date.now() + 601_000;
    const shown = (await world.run(wordsOf(show), { now })).json() as { key: string; next: string };
    expect(shown).toMatchObject({ key, state: 'in_doubt' });
    const [, resolve = ''] = /run: social-publishing (.*?)\. If it does not/.exec(shown.next) ?? [];
    const decided = await world.run(wordsOf(resolve.replace('ID', 'post_1 --yes')), { now });
    expect(decided.json()).toMatchObject({ key, state: 'accepted', postId: 'post_1' });
  });

  it('of doctor names the store', async () => {
    await held(['publish', '--key', 'a', '--content', 'A', '--target', `bluesky:${world.accountId}`, '--publish-now']);
    const { out } = await world.run(['doctor', '--store', 'stores/own.db']);
    expect(out).toContain(`intents list --state in_doubt --store ${join(process.cwd(), 'stores/own.db')}`);
  });
});
