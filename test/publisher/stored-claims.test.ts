import { describe, expect, it } from 'vitest';
import { StoredClaims, type Life } from '../../src/publisher/search/claims.js';
import { canonicalOf, hashOf } from '../../src/publisher/intents/content.js';
import { IntentSpace } from '../../src/publisher/intents/intent-space.js';
import { newIntent } from '../../src/publisher/intents/intent.js';
import type { IntentRecord } from '../../src/publisher/intents/intent-record.js';
import { formatOf } from '../../src/stores/records.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import type { DurableStore } from '../../src/stores/store.js';
import { hour, minute, start } from './world.js';

const { encode } = formatOf('format', 2);

const life = (key: string, createdAt = start): Life => ({ key, createdAt });
/** The intents in doubt that a search is for. */
const searching = (key: string, createdAt = start) => new Map([[key, { record: life(key, createdAt) }]]);
const day = 24 * hour;
/** The hash of the request of each intent here. */
const content = hashOf(canonicalOf({ body: { content: 'x' } }));

class Claimed {
  readonly store: DurableStore = new MemoryDurableStore();
  readonly claims = new StoredClaims(this.store, new IntentSpace(this.store, undefined, undefined));

  /** Stores an intent in this state. */
  async intent(key: string, more: Partial<IntentRecord> = {}): Promise<IntentRecord> {
    const record: IntentRecord = { ...newIntent(key, { body: { content: 'x' } }, start), state: 'in_doubt', ...more };
    await this.store.insert(`intent/${key}`, encode(record), null);
    return record;
  }

  async data(claim: string): Promise<unknown> {
    const item = await this.store.get(claim);
    return item && JSON.parse(item.data);
  }

  due(prefix: string, at: number): Promise<readonly string[]> {
    return Promise.resolve(this.store.due(prefix, at, 10));
  }
}

/** The states of an intent that has claimed `post_1`, with the value of its claim. */
const standings: Record<string, (world: Claimed) => Promise<unknown>> = {
  'recorded: it has recorded the post': (world) => world.intent('a', { state: 'accepted', postId: 'post_1' }),
  'recorded: it was pruned after a reply showed the post': async (world) => {
    const record = await world.intent('a', { postId: 'post_1' });
    await world.claims.retire(record);
  },
  'open: it has no post yet': (world) => world.intent('a'),
  'open: an operator passed another ID, which is not confirmed': (world) =>
    world.intent('a', { postId: 'post_2', unconfirmed: true }),
  'open: a newer version wrote it': async (world) => {
    await world.store.insert('intent/a', JSON.stringify({ format: 99, key: 'a' }), null);
  },
  'void: it has recorded another post': (world) => world.intent('a', { state: 'accepted', postId: 'post_2' }),
  'gone: it is not stored': () => Promise.resolve(),
  'gone: it was abandoned': (world) => world.intent('a', { state: 'abandoned' }),
  'gone: it was pruned, and its key is new': (world) => world.intent('a', { createdAt: start + 1 }),
  'gone: it was pruned before a reply showed the post': async (world) => {
    const record = await world.intent('a', { postId: 'post_1' });
    await world.claims.retire(record, record, { isUnproved: true });
  },
};
const names = Object.keys(standings);

async function claimedBy(name: string): Promise<Claimed> {
  const world = new Claimed();
  expect(await world.claims.claim(life('a'), 'post_1', 'search')).toBe(true);
  await standings[name]?.(world);
  return world;
}

describe('a post that intent a has claimed', () => {
  it.each(names)('has an owner only while the claim counts. %s', async (name) => {
    const world = await claimedBy(name);
    const isRetired = name.includes('pruned');
    const expected = name.startsWith('recorded')
      ? { key: 'a', isDecided: true }
      : name.startsWith('open')
        ? { key: 'a', isDecided: false }
        : undefined;
    expect(await world.claims.ownerOf('post_1')).toEqual(isRetired ? undefined : expected);
    expect(await world.claims.ownerOf('post_9')).toBeUndefined();
  });

  it.each(names)('for a search of another intent. %s', async (name) => {
    const world = await claimedBy(name);
    const owner = await world.claims.holderOf('post_1', searching('b'));
    if (name.startsWith('void')) expect(owner).toBeUndefined();
    else expect(owner).toBe(name.startsWith('recorded') ? 'other' : 'undecided');
    expect(await world.claims.holderOf('post_9', new Map())).toBeUndefined();
  });

  it('is its own for its own search, in the same life only', async () => {
    const world = await claimedBy('open: it has no post yet');
    expect(await world.claims.holderOf('post_1', searching('a'))).toMatchObject({ record: { key: 'a' } });
    expect(await world.claims.holderOf('post_1', searching('a', start + 1))).toBe('undecided');
  });

  it('is proved for its search by a reply, and not by an operator who named it', async () => {
    const world = new Claimed();
    await world.intent('a');
    const search = () => world.claims.holderOf('post_1', searching('a'));
    expect(await world.claims.claim(life('a'), 'post_1', 'operator')).toBe(true);
    expect(await search()).toBeUndefined();
    expect(await world.claims.ownerOf('post_1')).toEqual({ key: 'a', isDecided: false });
    expect(await world.claims.holderOf('post_1', searching('b'))).toBe('undecided');
    expect(await world.claims.claim(life('a'), 'post_1', 'reply')).toBe(true);
    expect(await search()).toMatchObject({ record: { key: 'a' } });
    // What a reply proved stays proved.
    expect(await world.claims.claim(life('a'), 'post_1', 'operator')).toBe(true);
    expect(await search()).toMatchObject({ record: { key: 'a' } });
  });

  it.each(names)('can be claimed by a search of intent b only if the claim is void. %s', async (name) => {
    const world = await claimedBy(name);
    expect(await world.claims.claim(life('b'), 'post_1', 'search')).toBe(name.startsWith('void'));
  });

  it.each(names)('can be claimed by a reply to intent b if the claim is void or gone. %s', async (name) => {
    const world = await claimedBy(name);
    const gets = name.startsWith('void') || name.startsWith('gone');
    expect(await world.claims.claim(life('b'), 'post_1', 'reply')).toBe(gets);
    expect(await world.data('post/post_1')).toMatchObject({ key: gets ? 'b' : 'a' });
  });

  it('can be claimed again by intent a, and not by another life of its key', async () => {
    const world = await claimedBy('open: it has no post yet');
    expect(await world.claims.claim(life('a'), 'post_1', 'search')).toBe(true);
    expect(await world.claims.claim(life('a', start + 1), 'post_1', 'search')).toBe(false);
  });

  it('is not claimed for an intent that has recorded another post', async () => {
    const world = await claimedBy('void: it has recorded another post');
    await world.intent('b', { state: 'accepted', postId: 'post_3' });
    expect(await world.claims.claim(life('b'), 'post_1', 'search')).toBe(false);
    expect(await world.data('post/post_1')).toMatchObject({ key: 'a' });
  });

  it('by release 0.2.0, which named no life, belongs to any life of the key', async () => {
    const world = new Claimed();
    await world.store.insert('post/post_1', encode({ key: 'a' }), null);
    await world.intent('a', { createdAt: start + 5, state: 'accepted', postId: 'post_1' });
    expect(await world.claims.ownerOf('post_1')).toEqual({ key: 'a', isDecided: true });
  });

  it('is left alone if the claim has no key', async () => {
    const world = new Claimed();
    await world.store.insert('post/post_1', encode({ owner: 'a' }), null);
    expect(await world.claims.ownerOf('post_1')).toBeUndefined();
    expect(await world.claims.claim(life('b'), 'post_1', 'search')).toBe(false);
  });
});

describe('the release of a claim', () => {
  it('keeps a post that the intent has recorded', async () => {
    const recorded = await claimedBy('recorded: it has recorded the post');
    await recorded.claims.releasePost('post_1', life('a'));
    expect(await recorded.data('post/post_1')).toMatchObject({ key: 'a' });
    const open = await claimedBy('open: it has no post yet');
    await open.claims.releasePost('post_1', life('b'));
    expect(await open.data('post/post_1')).toMatchObject({ key: 'a' });
    await open.claims.releasePost('post_1', life('a'));
    expect(await open.data('post/post_1')).toBeUndefined();
  });
});

describe('the claims of a pruned intent', () => {
  const pruned = async (more: Partial<IntentRecord>) => {
    const world = new Claimed();
    const record = await world.intent('a', { postId: 'post_1', ...more });
    await world.claims.claim(life('a'), 'post_1', 'search');
    await world.claims.retire(record);
    return world;
  };

  it.each([
    ['its own creation', {}, start],
    ['its send', { sent: { at: start + minute } }, start + minute],
    ["its send by the service's clock", { sent: { at: start, skewMs: hour, laterSkewMs: 5 } }, start + hour],
    ['a later offset of the clock', { sent: { at: start, skewMs: 5, laterSkewMs: hour } }, start + hour],
    ['its send, if the clock was ahead', { sent: { at: start + minute, skewMs: -hour } }, start + minute],
    ['the creation of its post', { post: { postId: 'post_1', createdAt: '2026-05-01T12:00:00Z' } }, start + 3 * hour],
  ] satisfies [string, Partial<IntentRecord>, number][])('are due a day after %s', async (_, more, from) => {
    const world = await pruned(more);
    expect(await world.due('post/', from + day - 1)).toEqual([]);
    expect(await world.due('post/', from + day)).toEqual(['post/post_1']);
    expect(await world.data('post/post_1')).toEqual({ format: 1, key: 'a', createdAt: start, retired: content });
  });

  it('are not changed if they belong to another intent, or to an earlier prune with proof', async () => {
    const world = new Claimed();
    await world.claims.claim(life('b'), 'post_1', 'search');
    const record = await world.intent('a', { postId: 'post_1' });
    await world.claims.retire(record);
    expect(await world.data('post/post_1')).toEqual({ format: 1, key: 'b', createdAt: start });
    const proved = await pruned({});
    await proved.claims.retire(record, record, { isUnproved: true });
    expect(await proved.data('post/post_1')).toMatchObject({ retired: content });
    expect(await proved.data('post/post_1')).not.toHaveProperty('unproved');
  });

  const remove = async (world: Claimed, now: number, service: number | undefined, open: number[] = []) => {
    let asked = 0;
    await world.claims.removeRetired(
      now,
      () => {
        asked += 1;
        return Promise.resolve(service);
      },
      new Set(open),
    );
    return { asked, left: await world.data('post/post_1') };
  };

  it('are removed by the clock of the service', async () => {
    const over = start + day;
    expect(await remove(await pruned({}), over - 1, over)).toMatchObject({ asked: 0, left: { retired: content } });
    expect(await remove(await pruned({}), over, over - 1)).toMatchObject({ asked: 1, left: { retired: content } });
    expect(await remove(await pruned({}), over, undefined)).toMatchObject({ asked: 1, left: { retired: content } });
    expect(await remove(await pruned({}), over, over)).toEqual({ asked: 1, left: undefined });
  });

  it('stay while an equal intent is open', async () => {
    expect((await remove(await pruned({}), start + day, start + day, [content])).left).toBeDefined();
    expect((await remove(await pruned({}), start + day, start + day, [content + 1])).left).toBeUndefined();
  });
});
