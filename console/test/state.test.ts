import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accounts } from '../src/state/accounts.js';
import { clock, runClock, stepClock, watchClock } from '../src/state/clock.js';
import { notifyChanged } from '../src/state/change-events.js';
import { loadPosts, posts, postsError, postsLoading } from '../src/state/posts.js';
import { remote } from '../src/state/remote.js';
import { inbox } from '../src/views/messages/conversations.js';
import { requestList, requests } from '../src/views/requests/requests.js';
import { eventually } from '../../test/support/eventually.js';
import { standPage, type Ground } from './support/page.js';
import { start } from './support/world.js';

// The modules of the page read the address when they are loaded.
vi.hoisted(() => {
  vi.stubGlobal('location', { hash: '', href: 'http://localhost/' });
  vi.stubGlobal('addEventListener', () => undefined);
});

let ground: Ground;

beforeEach(() => {
  vi.useFakeTimers();
  ground = standPage(start);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A read whose end a test controls, in any order. */
function reads() {
  const ends: ((value: string) => void)[] = [];
  const load = () => new Promise<string>((resolve) => ends.push(resolve));
  const end = async (which: number, value: string) => {
    ends[which]?.(value);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { load, end, count: () => ends.length };
}

describe('data that is read repeatedly', () => {
  it('shows a read that ends while a newer one is under way, and no older one after that', async () => {
    const { load, end } = reads();
    const { value, reload } = remote(load);
    for (let read = 0; read < 3; read += 1) void reload();
    await end(1, 'second');
    expect(value.value).toBe('second');
    await end(0, 'first');
    expect(value.value).toBe('second');
    await end(2, 'third');
    expect(value.value).toBe('third');
  });

  it('is not covered by an older read if a value was pushed; then it is read once more', async () => {
    const { load, end, count } = reads();
    const { value, watch, put } = remote(load);
    const leave = watch();
    put('told');
    await end(0, 'older');
    expect(value.value).toBe('told');
    vi.runAllTimers();
    expect(count()).toBe(2);
    leave();
  });

  it('is read after a change only while it is watched', () => {
    const { load, count } = reads();
    const { watch } = remote(load, ['fault']);
    const leave = [watch(), watch()];
    leave.pop()?.();
    notifyChanged('fault');
    notifyChanged('fault');
    vi.runAllTimers();
    expect(count()).toBe(3);
    leave.pop()?.();
    notifyChanged('fault');
    vi.runAllTimers();
    expect(count()).toBe(3);
  });
});

describe('the clock', () => {
  const leave: (() => void)[] = [];

  afterEach(() => {
    for (const stop of leave.splice(0)) stop();
  });

  it.each(['post', 'request', 'delivery', 'automation', 'account'] as const)(
    'shows the next due time after a change of kind %s',
    async (kind) => {
      leave.push(watchClock());
      await eventually(() => {
        expect(clock.value).toMatchObject({ milliseconds: start, nextDue: null });
      });
      const due = new Date(start + 3_600_000).toISOString();
      ground.service.seed.integration({ platform: 'instagram', accessTokenExpiresAt: due });
      notifyChanged(kind);
      await eventually(() => {
        expect(clock.value?.nextDue).toBe(due);
      });
    },
  );

  it('is not set back by a read that was made before it was moved', async () => {
    ground.service.seed.integration({
      platform: 'instagram',
      accessTokenExpiresAt: new Date(start + 3_600_000).toISOString(),
    });
    const release = ground.hold('/_emulator/clock');
    leave.push(watchClock());
    await eventually(() => {
      expect(ground.asked).toContain('GET /_emulator/clock');
    });
    await stepClock();
    expect(clock.value?.milliseconds).toBe(start + 3_600_000);
    await release();
    await eventually(() => {
      expect(ground.asked.filter((path) => path === 'GET /_emulator/clock').length).toBeGreaterThan(1);
    });
    expect(clock.value?.milliseconds).toBe(start + 3_600_000);
  });

  it('is read again when it passes the next due time', async () => {
    const token = { platform: 'instagram', accessTokenExpiresAt: new Date(start + 5_000).toISOString() } as const;
    ground.service.seed.integration(token);
    await runClock(10);
    expect(clock.value?.nextDue).toBe(token.accessTokenExpiresAt);
    leave.push(watchClock());
    await vi.advanceTimersByTimeAsync(2_000);
    await eventually(() => {
      expect(clock.value?.nextDue).toBeNull();
    });
    ground.service.clock.pause();
  });
});

describe('posts', () => {
  it('that are reported while the list is read are neither lost nor reset', async () => {
    const { service } = ground;
    const old = service.seed.post({ content: 'Old', status: 'scheduled', scheduledFor: new Date(start).toISOString() });
    const release = ground.hold('/v1/posts/');
    const read = loadPosts();
    await eventually(() => {
      expect(ground.asked).toContain('GET /v1/posts/');
    });
    notifyChanged('post', { ...old, status: 'published' });
    notifyChanged('post', {
      postId: 'post_new',
      content: 'New',
      status: 'draft',
      createdAt: new Date(start).toISOString(),
    });
    await release();
    await read;
    expect(new Map(posts.value.map(({ postId, status }) => [postId, status]))).toEqual(
      new Map([
        [old.postId, 'published'],
        ['post_new', 'draft'],
      ]),
    );
  });

  it('that can not be read to the end are not being read any more', async () => {
    for (let index = 0; index < 101; index += 1) ground.service.seed.post({ content: 'x', status: 'draft' });
    vi.stubGlobal('fetch', pageAfterPage(fetch));
    await loadPosts();
    expect(postsError.value).toMatch(/400/);
    expect(postsLoading.value).toBeUndefined();
  });
});

/** Only the first page arrives. */
function pageAfterPage(through: typeof fetch): typeof fetch {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return url.searchParams.has('offset') ? Promise.resolve(new Response('', { status: 400 })) : through(input, init);
  };
}

describe('requests', () => {
  it('that are reported while the list is read are not lost, and an older list covers no newer one', async () => {
    const { service } = ground;
    const send = () => service.fetch('http://localhost/v1/posts/', { headers: { 'x-access-key': 'console-test-key' } });
    await send();
    const release = ground.hold('/_emulator/requests');
    const read = requestList.reload();
    await eventually(() => {
      expect(ground.asked).toContain('GET /_emulator/requests');
    });
    await send();
    const [, second] = service.requests;
    notifyChanged('request', { ...second, reply: { headers: {}, body: '{}' } });
    await release();
    await read;
    expect(requests.value.map(({ id }) => id)).toEqual(service.requests.map(({ id }) => id).reverse());
    expect(requests.value[0]?.reply).toBeDefined();
  });
});

describe('conversations', () => {
  it('are read in one request, the first page with them', async () => {
    const { id } = ground.service.seed.integration({ platform: 'instagram', username: 'acme' });
    for (const name of ['Ada', 'Kim'])
      ground.service.incoming.message({ accountId: id, text: 'Hi', from: { id: name, name } });
    await accounts.reload();
    ground.asked.length = 0;
    await inbox.reload();
    expect(inbox.value.value?.conversations).toHaveLength(2);
    expect(inbox.value.value?.selfId).toBeDefined();
    expect(ground.asked).toEqual(['GET /v1/messages/']);
  });
});
