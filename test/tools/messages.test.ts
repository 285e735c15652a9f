import { describe, expect, it, vi } from 'vitest';
import { MemoryDurableStore, type DurableStore } from '../../src/publisher/index.js';
import { failingOnce, refusingSwaps } from './refusing-results.js';
import { newGate } from '../support/gate.js';
import { ToolWorld, toolWorld } from './world.js';

const route = 'POST /v1/messages/';

function messageTo(world = new ToolWorld()) {
  const { id, participants } = world.service.seed.conversation({ accountId: world.instagram });
  const recipientId = participants?.find((person) => person.id !== undefined)?.id ?? '';
  return { world, conversationId: id, input: { key: 'reply', accountId: world.instagram, recipientId, text: 'Hello' } };
}

const sent = (world: ToolWorld) => world.writes.filter(({ path }) => path === '/v1/messages/').length;

describe('send_message', () => {
  it('needs approval, unless the mode is publish', async () => {
    const { world, input } = messageTo();
    expect(await world.agent({ mode: 'schedule' })('send_message', input)).toMatchObject({ status: 'needs_approval' });
    expect(world.writes).toEqual([]);
    expect(await world.agent({ mode: 'publish' })('send_message', input)).toMatchObject({ status: 'ok' });
  });

  it('sends once per key, and asks once', async () => {
    const { world, input } = messageTo();
    const approve = vi.fn(() => true);
    const agent = world.agent({ approve });
    const first = await agent('send_message', input);
    expect(first).toMatchObject({ status: 'ok', data: { replayed: false } });
    const { messageId } = first.data ?? {};
    expect(await agent('send_message', input)).toMatchObject({ status: 'ok', data: { replayed: true, messageId } });
    expect(approve).toHaveBeenCalledOnce();
    expect(sent(world)).toBe(1);
  });

  it('sends once per key, in whichever Unicode form the key is', async () => {
    const { world, input } = messageTo();
    const approve = vi.fn(() => true);
    const agent = world.agent({ approve });
    for (const key of ['caf\u00e9', 'cafe\u0301']) {
      expect(await agent('send_message', { ...input, key })).toMatchObject({ status: 'ok' });
    }
    expect(approve).toHaveBeenCalledOnce();
    expect(sent(world)).toBe(1);
  });

  it('shows the text to the user', async () => {
    const { world, input } = messageTo();
    const approve = vi.fn(() => false);
    await world.agent({ approve })('send_message', input);
    expect(approve).toHaveBeenCalledWith(
      expect.objectContaining({ summary: expect.stringMatching(/: "Hello"\.$/) as string }),
    );
  });

  it.each(['key', 'accountId', 'text'])(
    'resolves to invalid for a %s that is an object with a strange length',
    async (name) => {
      const { world, input } = messageTo();
      const strange = { ...input, [name]: { length: { toString: null } } };
      expect(await world.agent({ mode: 'publish' })('send_message', strange)).toMatchObject({ status: 'invalid' });
      expect(sent(world)).toBe(0);
    },
  );

  it('stores nothing after a no', async () => {
    const { world, input } = messageTo();
    expect(await world.agent({ approve: () => false })('send_message', input)).toMatchObject({ status: 'rejected' });
    expect(await world.store.scan('', undefined, 10)).toEqual([]);
    expect(await world.agent({ mode: 'publish' })('send_message', input)).toMatchObject({ status: 'ok' });
  });

  it.each([
    ['a result', { result: { messageId: 'm' } }, { status: 'ok', data: { messageId: 'm', replayed: true } }],
    ['no result', {}, { status: 'held', data: { markedAt: '2026-11-20T00:00:00.000Z' } }],
  ])('reads a mark of release 0.2.0 with %s', async (_, end, expected) => {
    const { world, input } = messageTo();
    const { key, ...rest } = input;
    const body = { platform: 'instagram', ...rest };
    const mark = { format: 1, id: '5e6b', at: Date.UTC(2026, 10, 20), body, ...end };
    await world.store.insert(`tools/send_message/${key}`, JSON.stringify(mark), null);
    expect(await world.agent({ mode: 'publish' })('send_message', input)).toMatchObject(expected);
    expect(sent(world)).toBe(0);
  });

  it('rejects the same key with another text', async () => {
    const { world, input } = messageTo();
    const agent = world.agent({ mode: 'publish' });
    await agent('send_message', input);
    expect(await agent('send_message', { ...input, text: 'Other' })).toMatchObject({ status: 'rejected' });
    expect(sent(world)).toBe(1);
  });

  it.each(['reset_before', 'reset_after_commit', 'truncated_body', 'invalid_json'] as const)(
    'holds a message after %s, and never sends it again',
    async (kind) => {
      const { world, input } = messageTo();
      world.service.faults.add({ kind, route, times: 1 });
      const agent = world.agent({ mode: 'publish' });
      expect(await agent('send_message', input)).toMatchObject({ status: 'held' });
      expect(await agent('send_message', input)).toMatchObject({ status: 'held' });
      expect(sent(world)).toBe(1);
    },
  );

  it('holds an equal message under a new key while the first one is in doubt, in every mode', async () => {
    const { world, input } = messageTo();
    world.service.faults.add({ kind: 'reset_before', route, times: 1 });
    const agent = world.agent({ mode: 'publish', approve: () => expect.unreachable() });
    await agent('send_message', input);
    for (const text of ['Hello', ' Hello\n']) {
      expect(await agent('send_message', { ...input, text, key: 'reply-2' })).toMatchObject({
        status: 'held',
        summary: 'An equal call under another key may have been executed. Nothing was sent.',
        data: { key: 'reply' },
        next: expect.stringContaining('Call list_messages to see whether it arrived') as string,
      });
    }
    expect(sent(world)).toBe(1);
    const others = [{ text: 'Hello again' }, { recipientId: 'someone' }];
    for (const [index, other] of others.entries())
      expect(await agent('send_message', { ...input, ...other, key: `other-${String(index)}` })).toMatchObject({
        status: 'ok',
      });
    expect(sent(world)).toBe(3);
  });

  it('sends an equal message under a new key after one that was sent, or refused', async () => {
    const { world, input } = messageTo();
    const agent = world.agent({ mode: 'publish' });
    world.service.faults.add({ kind: 'status', status: 422, route, times: 1 });
    expect(await agent('send_message', input)).toMatchObject({ status: 'rejected' });
    for (const key of ['second', 'third'])
      expect(await agent('send_message', { ...input, key })).toMatchObject({ status: 'ok', data: { replayed: false } });
  });

  it('sends beside a mark of a newer version', async () => {
    const { world, input } = messageTo();
    await world.store.insert('tools/send_message/newer', '{"format":99}', world.time);
    expect(await world.agent({ mode: 'publish' })('send_message', input)).toMatchObject({ status: 'ok' });
  });

  it('holds a message whose mark has no result, after a crash', async () => {
    const { world, input } = messageTo();
    const reached = newGate();
    const dying = new ToolWorld({
      store: world.store,
      client: {
        fetch: () => {
          reached.open();
          return new Promise(() => undefined);
        },
      },
    });
    void dying.agent({ mode: 'publish' })('send_message', input);
    await reached.opened;
    expect(await world.agent({ mode: 'publish' })('send_message', input)).toMatchObject({ status: 'held' });
    expect(sent(world)).toBe(0);
  });

  it('frees the key after a refusal', async () => {
    const { world, input } = messageTo();
    world.service.faults.add({ kind: 'status', status: 422, route, times: 1 });
    const agent = world.agent({ mode: 'publish' });
    expect(await agent('send_message', input)).toMatchObject({ status: 'rejected' });
    expect(await agent('send_message', { ...input, text: 'Fixed' })).toMatchObject({ status: 'ok' });
  });

  it('frees the key after a 429, and says when to call again', async () => {
    const { world, input } = messageTo();
    world.service.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '7' }, route, times: 1 });
    const agent = world.agent({ mode: 'publish' });
    const result = await agent('send_message', input);
    expect(result.status).toBe('failed');
    expect(result.next).toBe('Wait 7 seconds, then call again with the same key.');
  });

  it('tries again to free the key if the store fails', async () => {
    const store = failingOnce(new MemoryDurableStore());
    const world = new ToolWorld({ store });
    const { input } = messageTo(world);
    world.service.faults.add({ kind: 'status', status: 429, route, times: 1 });
    const agent = world.agent({ mode: 'publish' });
    expect(await agent('send_message', input)).toMatchObject({ status: 'failed', data: { httpStatus: 429 } });
    await world.pass(2);
    expect(await agent('send_message', input)).toMatchObject({ status: 'ok' });
  });

  it('says that nothing was sent if the key cannot be freed', async () => {
    const world = new ToolWorld({ store: refusingSwaps(new MemoryDurableStore()) });
    const { input } = messageTo(world);
    world.service.faults.add({ kind: 'status', status: 429, route, times: 1 });
    const result = await world.agent({ mode: 'publish' })('send_message', input);
    expect(result).toMatchObject({ status: 'failed', data: { httpStatus: 429 } });
    expect(result.next).toContain('Nothing was executed, but the store did not free the key.');
    expect(result.next).toContain('use a new key, and another text');
    // The mark of the first call holds an equal text.
    expect(await world.agent({ mode: 'publish' })('send_message', { ...input, key: 'new' })).toMatchObject({
      status: 'held',
    });
    const other = { ...input, key: 'new', text: 'Another text' };
    expect(await world.agent({ mode: 'publish' })('send_message', other)).toMatchObject({ status: 'ok' });
  });

  it('frees the key of a request that was provably not sent', async () => {
    const world = new ToolWorld({
      client: {
        fetch: (url, init) => {
          const { method } = init;
          if (method === 'POST') {
            const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
            return Promise.reject(new TypeError('fetch failed', { cause }));
          }
          return fetch(url, init);
        },
      },
    });
    const { input } = messageTo(world);
    const result = await world.agent({ mode: 'publish' })('send_message', input);
    expect(result).toMatchObject({ status: 'failed' });
    expect(result.next).toContain('call again with the same key');
    expect(await world.store.scan('', undefined, 10)).toEqual([]);
  });

  it('sends once if two calls run at the same time', async () => {
    const { world, input } = messageTo();
    const agent = world.agent({ mode: 'publish' });
    const results = await Promise.all([agent('send_message', input), agent('send_message', input)]);
    expect(sent(world)).toBe(1);
    expect(results.map(({ status }) => status).sort()).toEqual(['held', 'ok']);
  });

  it('says after the question that a call with the same key may have been executed', async () => {
    const { world, input } = messageTo();
    world.service.faults.add({ kind: 'reset_after_commit', route, times: 1 });
    const approve = async () => {
      await world.agent({ mode: 'publish' })('send_message', input);
      return true;
    };
    const summary = 'An earlier call with this key may have been executed. It is not repeated.';
    expect(await world.agent({ approve })('send_message', input)).toMatchObject({ status: 'held', summary });
    expect(sent(world)).toBe(1);
  });

  it('reports a message that was sent although the store cannot record it', async () => {
    const store = refusingSwaps(new MemoryDurableStore());
    const world = new ToolWorld({ store: store satisfies DurableStore });
    const { input } = messageTo(world);
    const agent = world.agent({ mode: 'publish' });
    const result = await agent('send_message', input);
    expect(result).toMatchObject({ status: 'ok', data: { replayed: false } });
    expect(result.next).toContain('do not repeat');
    expect(await agent('send_message', input)).toMatchObject({ status: 'held' });
    expect(sent(world)).toBe(1);
  });

  it('goes on after an abort, so that its result is known', async () => {
    const { world, input } = messageTo();
    const leaving = new AbortController();
    const agent = world.agent({
      approve: () => {
        setTimeout(() => {
          leaving.abort('left');
        });
        return true;
      },
    });
    const result = await agent('send_message', input, { signal: leaving.signal }).catch((reason: unknown) => reason);
    expect(result === 'left' || typeof result === 'object').toBe(true);
    await expect.poll(async () => (await agent('send_message', input)).status).toBe('ok');
    expect(sent(world)).toBe(1);
  });
});

it('list_comments names accountId where the ID of an account is invalid', async () => {
  const result = await new ToolWorld().agent()('list_comments', { accountId: '.', postId: 'p' });
  expect(result).toMatchObject({ status: 'invalid', data: { issues: [{ field: 'accountId' }] } });
});

describe('create_automation', () => {
  const automation = (world: ToolWorld) => ({
    key: 'auto',
    accountId: world.instagram,
    name: 'Sale',
    postScope: 'any',
    keywords: ['sale'],
    publicReplies: ['See your messages'],
    dmMessage: 'Here it is',
  });

  it('needs approval, unless the mode is publish', async () => {
    const world = new ToolWorld();
    expect(await world.agent()('create_automation', automation(world))).toMatchObject({ status: 'needs_approval' });
    expect(world.writes).toEqual([]);
  });

  it('shows its replies to the user', async () => {
    const world = new ToolWorld();
    const approve = vi.fn(() => false);
    await world.agent({ approve })('create_automation', automation(world));
    expect(approve).toHaveBeenCalledWith(
      expect.objectContaining({ summary: expect.stringContaining('"See your messages / Here it is"') as string }),
    );
  });

  it('creates one automation per key', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    expect(await agent('create_automation', automation(world))).toMatchObject({ status: 'ok' });
    expect(await agent('create_automation', automation(world))).toMatchObject({ data: { replayed: true } });
    expect(await world.client.automations.list()).toMatchObject([{ name: 'Sale', trigger: { keywords: ['sale'] } }]);
  });

  it('holds an automation whose reply was lost', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    world.service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/comment-automations/', times: 1 });
    expect(await agent('create_automation', automation(world))).toMatchObject({ status: 'held' });
    expect(await agent('create_automation', automation(world))).toMatchObject({ status: 'held' });
    expect(await world.client.automations.list()).toHaveLength(1);
  });

  it('holds an equal automation under a new key, and creates another one', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    world.service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/comment-automations/', times: 1 });
    await agent('create_automation', automation(world));
    const held = await agent('create_automation', { ...automation(world), key: 'auto-2' });
    expect(held).toMatchObject({ status: 'held', data: { key: 'auto' } });
    expect(held.next).toContain('check whether the automation exists');
    expect(await world.client.automations.list()).toHaveLength(1);
    const another = { ...automation(world), key: 'auto-3', name: 'Sale of spring' };
    expect(await agent('create_automation', another)).toMatchObject({ status: 'ok' });
  });

  it('has keys apart from those of messages', async () => {
    const { world, input } = messageTo();
    const agent = world.agent({ mode: 'publish' });
    await agent('send_message', { ...input, key: 'auto' });
    expect(await agent('create_automation', automation(world))).toMatchObject({ data: { replayed: false } });
  });
});
