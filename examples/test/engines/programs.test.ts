import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SocialPublishing } from '../../../src/index.js';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { createPublisher, MemoryDurableStore, type Publisher } from '../../../src/publisher/index.js';
import { eventually } from '../../../test/support/eventually.js';

/** The programs in this process, with an emulator, a store in memory, and queues that only record jobs. */
const imports = {
  bullmq: {
    enqueue: () => import('../../bullmq/enqueue.js'),
    receiver: () => import('../../bullmq/receiver.js'),
  },
  'pg-boss': {
    enqueue: () => import('../../pg-boss/enqueue.js'),
    receiver: () => import('../../pg-boss/receiver.js'),
  },
};

const leaseMs = 60_000;
let service: Emulator;
let store: MemoryDurableStore;
let publisher: Publisher;
let told: string[];
let queued: unknown[];
let close: () => Promise<void>;
let isClosed: Promise<void>;

const client = () => new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'key', fetch: service.fetch });

const exitCode = () => process.exitCode ?? undefined;

/** The next import of a program runs it anew, as another process would. */
function anew(): void {
  vi.resetModules();
  const note = (_name: string, data: unknown) => Promise.resolve(queued.push(data));
  const queue = { add: note, send: note };
  const app = async () => {
    // Of the same modules as the program's own, so that its errors are the program's.
    const { createPublisher: create } = await import('../../../src/publisher/index.js');
    const shared = { client: client(), store, publisher: create({ client: client(), store }), leaseMs, close };
    const open = () => Promise.resolve();
    return { ...shared, open, jobOf: () => ({}), intents: queue, events: queue, boss: queue };
  };
  vi.doMock('../../bullmq/app.js', app);
  vi.doMock('../../pg-boss/app.js', app);
}

beforeEach(() => {
  service = createEmulator({ accessKey: 'key' });
  store = new MemoryDurableStore();
  publisher = createPublisher({ client: client(), store });
  told = [];
  queued = [];
  isClosed = new Promise((resolve) => {
    close = () => {
      resolve();
      return Promise.resolve();
    };
  });
  vi.spyOn(console, 'log').mockReturnValue();
  vi.spyOn(console, 'error').mockImplementation((line: unknown) => told.push(String(line)));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
  process.exitCode = undefined;
});

describe.each(['bullmq', 'pg-boss'] as const)('%s/enqueue', (folder) => {
  /** Runs it, and returns its exit code. */
  async function enqueue(...args: string[]): Promise<number | string | undefined> {
    anew();
    queued = [];
    process.exitCode = undefined;
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'enqueue', ...args]);
    await imports[folder].enqueue();
    return exitCode();
  }

  const bodies = async () => {
    const accounts: (string | undefined)[][] = [];
    for await (const { body } of publisher.list())
      accounts.push((body.platforms ?? []).map(({ accountId }) => accountId));
    return accounts;
  };

  beforeEach(() => {
    for (const id of ['m', 'n']) service.seed.integration({ id, platform: 'bluesky' });
  });

  it('can be run again where an account was connected meanwhile, with the accounts named', async () => {
    expect(await enqueue('spring', '2', 'n', 'm')).toBeUndefined();
    service.seed.integration({ id: 'a', platform: 'bluesky' });
    expect(await enqueue('spring', '3', 'm', 'n')).toBeUndefined();
    expect(queued).toEqual([{ key: 'spring:1' }, { key: 'spring:2' }, { key: 'spring:3' }]);
    expect(await bodies()).toEqual([
      ['m', 'n'],
      ['m', 'n'],
      ['m', 'n'],
    ]);
    expect(told).toEqual([]);
  });

  it('uses the same accounts if an account was connected that sorts after them', async () => {
    await enqueue('spring', '1');
    service.seed.integration({ id: 'z', platform: 'bluesky' });
    expect(await enqueue('spring', '1')).toBeUndefined();
  });

  it('reports existing intents with other accounts, queues the rest, and exits with 2', async () => {
    await enqueue('spring', '2');
    service.seed.integration({ id: 'a', platform: 'bluesky' });
    expect(await enqueue('spring', '3')).toBe(2);
    expect(told).toHaveLength(2);
    expect(told[0]).toContain('spring:1');
    expect(queued).toEqual([{ key: 'spring:1' }, { key: 'spring:2' }, { key: 'spring:3' }]);
    expect(await bodies()).toEqual([
      ['m', 'n'],
      ['m', 'n'],
      ['a', 'm'],
    ]);
  });

  it('does not begin with an account that there is not', async () => {
    await expect(enqueue('spring', '2', 'm', 'nobody')).rejects.toThrow(/404/);
    expect(queued).toEqual([]);
  });
});

describe.each(['bullmq', 'pg-boss'] as const)('%s/receiver', (folder) => {
  let stop: () => void;

  beforeEach(() => {
    anew();
    vi.stubEnv('WEBHOOK_SECRET', 'whk_of-the-tests');
    vi.stubEnv('PORT', '0');
    stop = () => undefined;
    vi.spyOn(process, 'on').mockImplementation((event, listener) => {
      if (event === 'SIGTERM') stop = listener as () => void;
      return process;
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });

  /** Lets time pass until the program has ended, which needs more than timers. */
  async function untilClosed(): Promise<void> {
    const under = { way: true };
    void isClosed.then(() => (under.way = false));
    await eventually(async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      expect(under.way).toBe(false);
    });
  }

  afterEach(async () => {
    stop();
    await untilClosed();
  });

  it('goes on where the service can not be listed, says so, and catches up once it can', async () => {
    const { id: accountId } = service.seed.integration({ platform: 'bluesky' });
    service.seed.post({ status: 'published', content: 'Hello', platforms: [{ platform: 'bluesky', accountId }] });
    const endOutage = service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 401 });
    await imports[folder].receiver();
    await vi.advanceTimersByTimeAsync(1_000);
    // The first call loads ky, which no timer ends.
    await eventually(() => {
      expect(told).toHaveLength(1);
    });
    expect(told).toEqual([expect.stringMatching(/^could not catch up.*401/)]);
    expect(queued).toEqual([]);
    endOutage();
    await vi.advanceTimersByTimeAsync(leaseMs);
    // The second attempt waits for more than timers, and the inbox polls for what it wrote.
    await eventually(async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      expect(queued).toMatchObject([{ type: 'post.published', recovered: true }]);
    });
    expect(told).toHaveLength(1);
  });

  it('finds an event that was lost while it ran, within an hour', async () => {
    const lists = () => service.requests.filter(({ method }) => method === 'GET').length;
    const { id: accountId } = service.seed.integration({ platform: 'bluesky' });
    await imports[folder].receiver();
    await eventually(async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      expect(lists()).toBe(2);
    });
    service.seed.post({ status: 'published', content: 'Hello', platforms: [{ platform: 'bluesky', accountId }] });
    await vi.advanceTimersByTimeAsync(3_600_000);
    await eventually(async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      expect(queued).toMatchObject([{ type: 'post.published', recovered: true }]);
    });
    expect(told).toEqual([]);
  });

  it('ends at SIGTERM while the service is silent', async () => {
    service.faults.add({ route: 'GET /v1/posts/', kind: 'timeout' });
    void imports[folder].receiver();
    await eventually(() => {
      expect(console.log).toHaveBeenCalledWith('listening', expect.anything());
    });
    stop();
    await vi.advanceTimersByTimeAsync(2_000);
    await isClosed;
    expect(told).toEqual([]);
  });
});
