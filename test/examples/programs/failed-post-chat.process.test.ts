import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { listening } from '../../support/listening.js';
import { KillableProgram } from '../../support/killable-program.js';
import { hasSqlite, programWorld, type ProgramWorld } from '../../support/run-program.js';

const secret = 'whk_of-the-tests';
let world: ProgramWorld;
let accountId: string;

/** A chat that ignores a repeated key. `hold`: it stores the message, and never replies. */
class Chat {
  readonly messages = new Map<string, string>();
  requests = 0;
  hold = false;
  url = '';
  readonly server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const key = String(request.headers['idempotency-key']);
      this.requests += 1;
      if (!this.messages.has(key)) this.messages.set(key, (JSON.parse(body) as { text: string }).text);
      if (!this.hold) response.end();
    })();
  });
}
let chat: Chat;

beforeEach(async () => {
  world = await programWorld({ now: () => Date.now() });
  chat = new Chat();
  chat.url = (await listening(chat.server)).url;
  const { service } = world;
  accountId = service.seed.integration({ platform: 'tiktok', username: 'acme' }).id;
  service.publishing.outcome({ platform: 'tiktok', error: 'media rejected' });
});

const fail = async (content: string) => {
  const { postId } = await world.client.posts.create({
    content,
    publishNow: true,
    platforms: [{ platform: 'tiktok', accountId }],
  });
  await world.service.settled();
  return postId;
};

describe.skipIf(!hasSqlite)('failed-post-chat', () => {
  it('finds the failed posts of its downtime although the list is down when it starts', async () => {
    const program = new KillableProgram(world, 'failed-post-chat');
    await fail('While it is down');
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 400, times: 1 });
    const args = ['--chat', chat.url, '--port', '0', '--db', join(program.folder, 'db')];
    program.start(args, { WEBHOOK_SECRET: secret });
    await eventually(() => {
      expect(chat.messages.size).toBe(1);
    });
    await program.kill();
  });

  it('finds a post whose deliveries all failed while it ran', async () => {
    const program = new KillableProgram(world, 'failed-post-chat');
    const args = ['--chat', chat.url, '--port', '0', '--every', '0.3', '--db', join(program.folder, 'db')];
    program.start(args, { WEBHOOK_SECRET: secret });
    await eventually(() => {
      expect(world.service.requests.filter(({ method }) => method === 'GET').length).toBeGreaterThan(1);
    });
    await fail('Never delivered');
    await eventually(() => {
      expect(chat.messages.size).toBe(1);
    });
    await program.kill();
  });

  it('sends one message for each failed post, although it is killed at each step', async () => {
    const program = new KillableProgram(world, 'failed-post-chat');
    const args = ['--chat', chat.url, '--port', '0', '--db', join(program.folder, 'db')];
    const subscription = world.service.seed.subscription({ webhook: { url: 'http://127.0.0.1:9/', secret } });
    const start = async () => {
      const running = program.start(args, { WEBHOOK_SECRET: secret });
      const [, port = ''] = /on port (\d+)/.exec(await running.says('listening on port')) ?? [];
      world.service.seed.subscription({ ...subscription, webhook: { url: `http://127.0.0.1:${port}/`, secret } });
      return running;
    };
    // Nothing listens: the event is lost, and only the list shows the post.
    const failed = [await fail('While it is down')];
    await start();
    await eventually(() => {
      expect(chat.messages.size).toBe(1);
    });
    // The event is acknowledged: it may not be handled yet.
    failed.push(await fail('Acknowledged'));
    await program.kill();
    // The chat has the message, and the program gets no reply.
    await start();
    await eventually(() => {
      expect(chat.messages.size).toBe(2);
    });
    chat.hold = true;
    failed.push(await fail('Reply lost'));
    await eventually(() => {
      expect(chat.messages.size).toBe(3);
    });
    await program.kill();
    chat.hold = false;
    // The chat has replied: the program may not have noted it.
    await start();
    failed.push(await fail('Replied'));
    await eventually(() => {
      expect(chat.messages.size).toBe(4);
    });
    await program.kill();
    const last = await start();
    failed.push(await fail('At last'));
    await last.says(`sent ${failed.at(-1) ?? ''}`);
    last.child.kill('SIGTERM');
    expect(await last.ended).toMatchObject({ code: 0 });
    expect([...chat.messages.keys()].sort()).toEqual(failed.sort());
    expect(chat.messages.get(failed[0] ?? '')).toContain('tiktok: media rejected');
    console.log(
      `failed-post-chat: ${String(program.kills)} kills, ${String(failed.length)} failed posts, ${String(chat.messages.size)} messages, ${String(chat.requests)} requests`,
    );

    // A start without anything to do sends nothing.
    const requests = chat.requests;
    const idle = await start();
    idle.child.kill('SIGTERM');
    expect((await idle.ended).code).toBe(0);
    expect(chat.requests).toBe(requests);
  });
});
