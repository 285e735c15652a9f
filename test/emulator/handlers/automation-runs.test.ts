import { describe, expect, it } from 'vitest';
import type { Automation } from '../../../src/resources/automations.js';
import {
  createEmulator,
  type AutomationSeed,
  type ChangedPart,
  type Emulator,
  type EmulatorState,
} from '../../../src/emulator/index.js';
import { clientOf, start, world, type World } from '../world.js';

const iso = (ms: number) => new Date(ms).toISOString();
const kim = { id: 'kim', name: 'Kim' };

interface Reacting extends World {
  readonly automation: Automation;
}

/** A world whose Instagram account has an automation for `guide`. */
function reacting(fields: Partial<AutomationSeed> = {}): Reacting {
  const made = world();
  const automation = made.service.seed.automation({
    accountId: made.instagram,
    trigger: { keywords: ['guide'] },
    actions: { publicReplies: ['Sent!'], dmMessage: 'Here it is.' },
    ...fields,
  });
  return { ...made, automation };
}

const comment = ({ service, instagram }: World, text: string, postId = 'p') =>
  service.incoming.comment({ accountId: instagram, postId, text, author: kim });

/** Whether a comment begins a run. */
function isSetOff(trigger: Automation['trigger'], text: string, postId = 'p', more: Partial<AutomationSeed> = {}) {
  return comment(reacting({ trigger, ...more }), text, postId).runs.length === 1;
}

describe('a comment that comes in', () => {
  it('begins a run, which is running until a second has passed, and then has answered', async () => {
    const made = reacting();
    const { service, client, automation, instagram } = made;
    const { comment: written, runs } = comment(made, 'Guide');
    const log = {
      id: 'log_1',
      commentId: written.id,
      commenterId: 'kim',
      commenterName: 'Kim',
      commentText: 'Guide',
      platformPostId: 'p',
      status: 'running',
      privateReplySent: false,
      createdAt: iso(start),
    };
    expect(runs).toEqual([{ automationId: automation.id, log }]);
    const logs = () => client.automations.listLogs(automation.id).toArray();
    await service.clock.advance({ milliseconds: 999 });
    expect(await logs()).toEqual([log]);
    expect(await client.automations.list()).toMatchObject([{ stats: { triggered: 1, succeeded: 0, failed: 0 } }]);

    await service.clock.advance({ milliseconds: 1 });
    expect(await logs()).toEqual([{ ...log, status: 'succeeded', privateReplySent: true, publicReplyStatus: 'sent' }]);
    expect(await client.automations.list()).toMatchObject([
      { stats: { triggered: 1, succeeded: 1, failed: 0, lastRunAt: iso(start) } },
    ]);
    const of = { platform: 'instagram', accountId: instagram } as const;
    const { items: conversations, response } = await client.messages.listConversations(of);
    const self = { id: response.selfId, name: response.selfUsername };
    const [shown] = (await client.comments.list({ ...of, postId: 'p' })).items;
    const reply = { id: 'reply_1', text: 'Sent!', author: self, timestamp: iso(start + 1000), likeCount: 0 };
    expect(shown).toEqual({ ...written, replies: [reply] });
    expect(conversations).toMatchObject([
      { participants: [kim], lastMessage: { text: 'Here it is.', from: self, timestamp: iso(start + 1000) } },
    ]);
  });

  it("writes to a user in the account's existing conversation", async () => {
    const made = reacting();
    const { service, client, instagram } = made;
    const { id } = service.seed.conversation({ accountId: instagram, participants: [kim] });
    comment(made, 'guide');
    comment(made, 'guide');
    await service.clock.advance({ seconds: 1 });
    const of = { platform: 'instagram', accountId: instagram } as const;
    expect((await client.messages.listConversations(of)).items).toMatchObject([{ id }]);
    expect(await client.messages.list(id, of).toArray()).toHaveLength(2);
  });

  it('begins a run of each automation of the account that it matches, and of no other account', async () => {
    const made = reacting();
    const { service, client, instagram, facebook } = made;
    const any = service.seed.automation({ accountId: instagram, trigger: {} });
    service.seed.automation({ accountId: facebook, trigger: {} });
    expect(comment(made, 'guide').runs.map(({ automationId }) => automationId)).toEqual([made.automation.id, any.id]);
    await service.clock.advance({ seconds: 1 });
    // It has nothing to say.
    const [log] = await client.automations.listLogs(any.id).toArray();
    expect(log).toMatchObject({ status: 'succeeded', privateReplySent: false });
    expect(log).not.toHaveProperty('publicReplyStatus');
  });

  it('gets one of the public replies, by the seeded random numbers', async () => {
    const told = async (seed: number) => {
      const service = createEmulator({ seed, now: () => start });
      const { id: accountId } = service.seed.integration({ platform: 'threads' });
      service.seed.automation({ accountId, actions: { publicReplies: ['a', 'b', 'c'], dmMessage: 'never' } });
      for (let index = 0; index < 20; index += 1) service.incoming.comment({ accountId, postId: 'p', text: 'x' });
      await service.clock.advance({ seconds: 1 });
      const query = { platform: 'threads', accountId, postId: 'p', limit: 100 } as const;
      const all = await clientOf(service.fetch).comments.list(query).toArray();
      return all.map(({ replies }) => replies?.map(({ text }) => text).join());
    };
    const texts = await told(1);
    expect(new Set(texts)).toEqual(new Set(['a', 'b', 'c']));
    expect(await told(1)).toEqual(texts);
    expect(await told(2)).not.toEqual(texts);
  });

  it('on a platform without direct messages, gets only the public reply', async () => {
    const { service, client, facebook } = world();
    const { id } = service.seed.automation({
      accountId: facebook,
      actions: { publicReplies: ['Sent!'], dmMessage: 'Hi' },
    });
    service.incoming.comment({ accountId: facebook, postId: 'p', text: 'x' });
    await service.clock.advance({ seconds: 1 });
    expect(await client.automations.listLogs(id).toArray()).toMatchObject([
      { status: 'succeeded', privateReplySent: false, publicReplyStatus: 'sent', commenterId: 'person_1' },
    ]);
  });

  it('comes to nothing where the account must be connected again', async () => {
    const { service, client } = world();
    const { id: accountId } = service.seed.integration({
      platform: 'instagram',
      authStatus: 'expired',
      authFailureReason: 'token_expired',
    });
    const { id } = service.seed.automation({ accountId, actions: { publicReplies: ['a'], dmMessage: 'b' } });
    service.incoming.comment({ accountId, postId: 'p', text: 'x' });
    await service.clock.advance({ seconds: 1 });
    const error = 'The account must be connected again (token_expired).';
    const [log] = await client.automations.listLogs(id, { status: 'failed' }).toArray();
    expect(log).toMatchObject({ status: 'failed', error, privateReplySent: false });
    expect(log).not.toHaveProperty('publicReplyStatus');
    expect(await client.automations.list({ accountId })).toMatchObject([
      { stats: { triggered: 1, succeeded: 0, failed: 1, lastError: error } },
    ]);
    const query = { platform: 'instagram', accountId } as const;
    expect((await client.comments.list({ ...query, postId: 'p' })).items).toMatchObject([{ replies: [] }]);
    expect((await client.messages.listConversations(query)).items).toEqual([]);
  });

  it('is added to stats that were seeded', async () => {
    const lastRunAt = iso(start - 5000);
    const made = reacting({ stats: { triggered: 10, succeeded: 9, failed: 1, lastRunAt } });
    comment(made, 'guide');
    await made.service.clock.advance({ seconds: 1 });
    expect(await made.client.automations.list()).toMatchObject([
      { stats: { triggered: 11, succeeded: 10, failed: 1, lastRunAt: iso(start) } },
    ]);
  });

  it('is reported to observers, and so is the end of its run', async () => {
    const made = reacting();
    const told: ChangedPart[] = [];
    made.service.observe((change) => {
      if (change.type === 'state') told.push(change.what);
    });
    comment(made, 'guide');
    expect(told).toEqual(['incoming']);
    await made.service.clock.advance({ seconds: 1 });
    expect(told).toEqual(['incoming', 'incoming']);
  });

  it('sets nothing off where it is seeded', async () => {
    const { service, client, instagram, automation } = reacting();
    service.seed.comment({ accountId: instagram, postId: 'p', text: 'guide' });
    await service.clock.advance({ seconds: 1 });
    expect(await client.automations.listLogs(automation.id).toArray()).toEqual([]);
  });
});

describe('an automation', () => {
  it.each([
    ['guide', true],
    ['  GUIDE ', true],
    ['the guide', false],
    ['guides', false],
  ])('of matchMode exact takes the whole comment %j: %s', (text, expected) => {
    expect(isSetOff({ keywords: ['recipe', 'Guide'], matchMode: 'exact' }, text)).toBe(expected);
  });

  it.each([
    ['The Guide, please!', 'guide', true],
    ['guide', 'guide', true],
    ['guides', 'guide', false],
    ['misguided, but a guide', 'guide', true],
    ['misguide', 'guide', false],
    ['guide2', 'guide', false],
    ['I want the brew guide.', 'brew guide', true],
    ['ÜBER uns', 'über', true],
    ['cafe\u0301s', 'café', false],
    ['cafe\u0301!', 'café', true],
    ['hot🔥stuff', '🔥', true],
    ['C++ or C', 'c++', true],
    ['anything', ' ', true],
  ])('of another matchMode takes a word of the comment %j, by the keyword %j: %s', (text, keyword, expected) => {
    expect(isSetOff({ keywords: [keyword], matchMode: 'contains' }, text)).toBe(expected);
  });

  it('without keywords takes any comment, and none with a word of excludeKeywords', () => {
    expect(isSetOff({}, 'whatever')).toBe(true);
    expect(isSetOff({ excludeKeywords: ['spam'] }, 'whatever')).toBe(true);
    expect(isSetOff({ excludeKeywords: ['spam'] }, 'this is Spam')).toBe(false);
    expect(isSetOff({ excludeKeywords: ['spam'] }, 'spammer')).toBe(true);
  });

  it('of another postScope watches only its platformPostId', () => {
    expect(isSetOff({ postScope: 'any', platformPostId: 'q' }, 'x')).toBe(true);
    expect(isSetOff({ postScope: 'specific', platformPostId: 'q' }, 'x')).toBe(false);
    expect(isSetOff({ postScope: 'specific', platformPostId: 'q' }, 'x', 'q')).toBe(true);
    expect(isSetOff({ postScope: 'specific' }, 'x')).toBe(false);
  });

  it('runs where its status is active, or none', () => {
    expect(isSetOff({}, 'x', 'p', { status: 'paused' })).toBe(false);
    expect(isSetOff({}, 'x', 'p', { status: undefined })).toBe(true);
  });
});

describe('a run under way', () => {
  it.each<[string, (service: Emulator) => Emulator]>([
    [
      'a snapshot',
      (service) => {
        const other = createEmulator();
        other.restore(service.snapshot());
        return other;
      },
    ],
    [
      'JSON',
      (service) =>
        createEmulator({ state: JSON.parse(JSON.stringify(service.snapshot())) as unknown as EmulatorState }),
    ],
  ])('goes through %s, and ends in both, on its own', async (_, move) => {
    const made = reacting();
    comment(made, 'guide');
    const before = made.service.snapshot();
    const other = move(made.service);
    const statuses = (service: Emulator) =>
      clientOf(service.fetch)
        .automations.listLogs(made.automation.id)
        .toArray()
        .then((logs) => logs.map(({ status }) => status));
    await made.service.clock.advance({ seconds: 1 });
    expect([await statuses(made.service), await statuses(other)]).toEqual([['succeeded'], ['running']]);
    expect(other.clock.nextDue).toBe(start + 1000);
    await other.clock.advance({ seconds: 1 });
    expect(await statuses(other)).toEqual(['succeeded']);
    const seen = (service: Emulator) => {
      const { requests: _requests, ...state } = service.snapshot().toJSON();
      return { ...state, counters: undefined };
    };
    expect(seen(other)).toEqual(seen(made.service));
    made.service.restore(before);
    expect(await statuses(made.service)).toEqual(['running']);
  });
});

describe('a message that comes in', () => {
  it('is of the other side of its conversation', async () => {
    const { service, client, instagram } = world();
    const { id } = service.seed.conversation({ accountId: instagram, participants: [kim] });
    const { message, conversationId } = service.incoming.message({
      accountId: instagram,
      conversationId: id,
      text: 'Hi',
    });
    expect([conversationId, message]).toEqual([id, expect.objectContaining({ text: 'Hi', from: kim })]);
    const query = { platform: 'instagram', accountId: instagram } as const;
    expect(await client.messages.list(id, query).toArray()).toEqual([message]);
  });

  it('begins a conversation with a new user, and continues it', async () => {
    const { service, client, instagram } = world();
    const first = service.incoming.message({ accountId: instagram, text: 'Hi', from: kim });
    const second = service.incoming.message({ accountId: instagram, text: 'Anybody there?', from: kim });
    const stranger = service.incoming.message({ accountId: instagram, text: 'Hello' });
    expect(second.conversationId).toBe(first.conversationId);
    expect(stranger.message.from).toEqual({ id: 'person_1', name: 'Person 1' });
    const query = { platform: 'instagram', accountId: instagram } as const;
    expect((await client.messages.listConversations(query)).items).toMatchObject([
      { id: stranger.conversationId, participants: [{ id: 'person_1' }] },
      { id: first.conversationId, participants: [kim], lastMessage: { text: 'Anybody there?' } },
    ]);
  });
});

describe('invalid incoming comments and messages', () => {
  it.each<[string, object, string]>([
    ['comment', { accountId: 'nobody', postId: 'p', text: 'x' }, 'accountId does not match an integration'],
    ['comment', { accountId: 'tiktok', postId: 'p', text: 'x' }, 'on facebook, instagram, threads, linkedin'],
    ['comment', { accountId: 'ig', postId: 'p', text: 'x', author: { id: 'self' } }, 'author is the account itself'],
    [
      'comment',
      { acountId: 'ig', postId: 'p', text: 'x' },
      "acountId is not a documented field; did you mean 'accountId'?",
    ],
    ['comment', { accountId: 'ig', postId: 'p', text: '' }, 'text must have at least 1 character'],
    ['message', { accountId: 'tiktok', text: 'x' }, 'on instagram'],
    ['message', { accountId: 'ig', conversationId: 'none', text: 'x' }, 'conversationId does not match a conversation'],
    ['message', { accountId: 'ig', text: 'x', from: { id: 'self' } }, 'from is the account itself'],
  ])('a %s %j is refused, and nothing is changed', (kind, fields, message) => {
    const service = createEmulator({ now: () => start });
    service.seed.integration({ id: 'ig', platform: 'instagram', platformUserId: 'self' });
    service.seed.integration({ id: 'tiktok', platform: 'tiktok' });
    service.seed.automation({ accountId: 'ig' });
    const before = service.snapshot().toJSON();
    // Callers without types.
    const incoming = service.incoming as unknown as Readonly<Record<string, (fields: object) => unknown>>;
    expect(() => incoming[kind]?.(fields)).toThrow(message);
    expect(() => incoming[kind]?.(fields)).toThrow(TypeError);
    expect(service.snapshot().toJSON()).toEqual(before);
  });
});
