import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { KillableProgram } from '../../support/killable-program.js';
import { hasSqlite, programWorld, type ProgramWorld } from '../../support/run-program.js';

const secret = 'whk_of-the-tests';
let world: ProgramWorld;
let publish: () => Promise<string>;
let program: KillableProgram;
let printed: string;

beforeEach(async () => {
  world = await programWorld({ now: () => Date.now() });
  const { service, client } = world;
  const { id: accountId } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  publish = async () => {
    const platforms = [{ platform: 'bluesky', accountId }] as const;
    const { postId } = await client.posts.create({ content: 'Hello', publishNow: true, platforms });
    await service.settled();
    return postId;
  };
  printed = '';
});

async function start(stage: string, more: readonly string[] = []) {
  const args = ['--stage', stage, '--port', '0', '--db', join(program.folder, 'db'), ...more];
  const running = program.start(args, { WEBHOOK_SECRET: secret });
  const [, port = ''] = /on port (\d+)/.exec(await running.says('listening on port')) ?? [];
  world.service.seed.subscription({ webhook: { url: `http://127.0.0.1:${port}/`, secret } });
  return running;
}
const kill = async () => {
  printed += await program.kill();
};
const handled = () => [...printed.matchAll(/handled post\.published (\S+)/g)].map(([, postId]) => postId);

describe.skipIf(!hasSqlite)('receiver-to-inbox', () => {
  it('handles each event once, before, during and after the switch, although both stages are killed', async () => {
    program = new KillableProgram(world, 'receiver-to-inbox');
    const since = new Date(Date.now() - 60_000).toISOString();
    const posts: string[] = [];
    const receiver = await start('receiver');
    posts.push(await publish());
    await receiver.says(`handled post.published ${posts[0] ?? ''}`);
    await kill();
    // Nothing listens now.
    posts.push(await publish());
    const inbox = await start('inbox', ['--since', since, '--every', '0.3']);
    await inbox.says('caught up: 1 events');
    await inbox.says(`handled post.published ${posts[1] ?? ''}`);
    posts.push(await publish());
    await inbox.says(`handled post.published ${posts[2] ?? ''}`);
    await kill();
    posts.push(await publish());
    const again = await start('inbox', ['--since', since]);
    await again.says('caught up: 1 events');
    await again.says(`handled post.published ${posts[3] ?? ''}`);
    again.child.kill('SIGTERM');
    const { code, out } = await again.ended;
    printed += out;
    expect(code).toBe(0);
    expect(handled().sort()).toEqual([...posts].sort());
    console.log(
      `receiver-to-inbox: ${String(program.kills)} kills, ${String(posts.length)} posts, ${String(handled().length)} events handled`,
    );
  });

  it('asks for the time of the switch', async () => {
    const { code, err } = await world.run('receiver-to-inbox', ['--stage', 'inbox']);
    expect([code, err]).toEqual([1, '--stage inbox needs --since: when the receiver stopped.\n']);
  });
});

describe.skipIf(!hasSqlite)('webhook-secrets', () => {
  it('loses no event and handles none twice while the secret is replaced, although it is killed', async () => {
    program = new KillableProgram(world, 'webhook-secrets');
    const { writeFileSync } = await import('node:fs');
    const file = join(program.folder, 'secrets.txt');
    const [old, next] = ['whk_the-old-secret', 'whk_the-new-secret'];
    const startWith = async (valid: string) => {
      const args = ['--secrets', file, '--port', '0', '--every', '0.3', '--db', join(program.folder, 'db')];
      const running = program.start(args);
      const [, port = ''] = /on port (\d+)/.exec(await running.says('listening on port')) ?? [];
      const url = `http://127.0.0.1:${port}/`;
      world.service.seed.subscription({ webhook: { url, secret: valid } });
      return { running, url };
    };
    const posts: string[] = [];
    writeFileSync(file, `${old}\n`);
    const first = await startWith(old);
    posts.push(await publish());
    await first.running.says(`handled post.published ${posts[0] ?? ''}`);
    // The file has both secrets. The service signs with the new one, and for a while with the old one too.
    writeFileSync(file, `${next}\n${old}\n`);
    world.service.seed.subscription({ webhook: { url: first.url, secret: next } });
    posts.push(await publish());
    await first.running.says(`handled post.published ${posts[1] ?? ''}`);
    printed += await program.kill();
    posts.push(await publish());
    // The old one is removed too early: its deliveries are refused, and the list has their posts.
    writeFileSync(file, `${next}\n`);
    const second = await startWith(old);
    await second.running.says(`handled post.published ${posts[2] ?? ''}`);
    posts.push(await publish());
    await second.running.says(`handled post.published ${posts[3] ?? ''}`);
    await kill();
    const third = await startWith(next);
    posts.push(await publish());
    await third.running.says(`handled post.published ${posts[4] ?? ''}`);
    await eventually(() => {
      expect(world.service.requests.filter(({ method }) => method === 'GET').length).toBeGreaterThan(8);
    });
    third.running.child.kill('SIGTERM');
    const { code, out } = await third.running.ended;
    printed += out;
    expect(code).toBe(0);
    expect(handled().sort()).toEqual([...posts].sort());
    console.log(
      `webhook-secrets: ${String(program.kills)} kills, ${String(posts.length)} posts, ${String(handled().length)} events handled`,
    );
  });
});
