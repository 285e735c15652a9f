/** A primary and a standby of Postgres: what a failover loses, which setting prevents it, and who says so. */
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { Network } from '../../support/network.js';
import { startPostgres, type TemporaryServer } from '../../support/temporary-servers.js';
import { createPublisher } from '../../../src/publisher/create-publisher.js';
import { PostgresStore, type PgClient } from '../../../src/stores/postgres/index.js';
import { cliWorld } from '../../support/cli.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const portOf = (server: TemporaryServer) => Number(new URL(server.url).port);

function poolOf(url: string, user = 'postgres'): pg.Pool {
  const address = new URL(url);
  address.username = user;
  const pool = new pg.Pool({ connectionString: address.href });
  pool.on('error', () => {}); // The servers are killed.
  pool.on('connect', (client) => client.on('error', () => {}));
  ends.push(() => pool.end());
  return pool;
}

async function startPair() {
  const primary = await startPostgres();
  ends.push(() => primary.stop());
  const network = await Network.to(portOf(primary));
  ends.push(() => {
    network.close();
  });
  const standby = await startPostgres({ primary: network.port });
  ends.push(() => standby.stop());
  const pool = poolOf(primary.url);
  const standbyCount = async (condition: string) =>
    (await pool.query(`SELECT 1 FROM pg_stat_replication WHERE ${condition}`)).rowCount;
  await expect.poll(() => standbyCount(`state = 'streaming'`), { timeout: 60_000 }).toBe(1);
  return {
    network,
    primary,
    pool,
    url: primary.url,
    /** A `synchronous_standby_names`, which applies when the standby has its new state. */
    setSynchronous: async (names: string, state: string) => {
      await pool.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
      await pool.query('SELECT pg_reload_conf()');
      await expect.poll(() => standbyCount(`sync_state = '${state}'`), { timeout: 60_000 }).toBe(1);
    },
    untilReplayed: () =>
      expect.poll(() => standbyCount('replay_lsn = pg_current_wal_lsn()'), { timeout: 60_000 }).toBe(1),
    /** The machine of the primary is gone, and with it what the network has not delivered. */
    failOver: async () => {
      await primary.kill();
      network.close();
      const promoted = poolOf(standby.url);
      await promoted.query('SELECT pg_promote()');
      return promoted;
    },
  };
}

const body = {
  content: 'Hello',
  scheduledFor: '2031-03-01T09:00:00Z',
  platforms: [{ platform: 'bluesky' as const, accountId: 'int_1' }],
};

/** The service, and publishers that use it. */
function service() {
  const posts: string[] = [];
  const create = () => {
    const postId = `post_${String(posts.length + 1)}`;
    posts.push(postId);
    return Promise.resolve({ success: true, postId, status: 'scheduled' });
  };
  const list = () => ({ pages: async function* () {} });
  const publisherOn = (client: PgClient) =>
    createPublisher({ client: { posts: { create, list } }, store: new PostgresStore(client, { onWarning: () => {} }) });
  return { posts, publisherOn };
}

async function warningsOf(pool: pg.Pool): Promise<string[]> {
  const warnings: string[] = [];
  await new PostgresStore(pool, { onWarning: (message) => warnings.push(message) }).setup();
  return warnings;
}

const noSynchronous = expect.stringMatching(
  /a standby is connected, and no standby is synchronous: a failover .*twice.*synchronous_standby_names to the names of your standbys/,
) as string;
const unknown = expect.stringMatching(
  /is unknown, because this role may not see it.*twice.*GRANT pg_read_all_stats/,
) as string;

describe('a Postgres with a standby', () => {
  it('that is asynchronous can lose a mark in a failover, and the store warns before', async () => {
    const { network, pool, untilReplayed, failOver } = await startPair();
    const { posts, publisherOn } = service();
    expect(await warningsOf(pool)).toEqual([noSynchronous]);
    await publisherOn(pool).publish('kept', body);
    await untilReplayed();
    network.pause();
    expect(await publisherOn(pool).publish('lost', body)).toMatchObject({ state: 'accepted' });
    const promoted = publisherOn(await failOver());
    expect(await promoted.publish('kept', body)).toMatchObject({ replayed: true });
    expect(posts).toHaveLength(2);
    // This is the loss of which the warning speaks.
    expect(await promoted.publish('lost', body)).toMatchObject({ replayed: false });
    expect(posts).toHaveLength(3);
  });

  it('that is synchronous loses nothing: a request is sent only when the standby has its mark', async () => {
    const { network, pool, setSynchronous, failOver } = await startPair();
    const { posts, publisherOn } = service();
    await setSynchronous('ANY 1 (*)', 'quorum');
    expect(await warningsOf(pool)).toEqual([]);
    const waiting = async () =>
      (await pool.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).rowCount;
    network.pause();
    const first = publisherOn(pool).publish('first', body);
    await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
    expect(posts).toEqual([]);
    network.resume();
    expect(await first).toMatchObject({ state: 'accepted' });
    network.pause();
    const second = publisherOn(pool).publish('second', body);
    await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
    const [promoted] = await Promise.all([failOver(), expect(second).rejects.toMatchObject({ outcome: 'unknown' })]);
    expect(posts).toEqual(['post_1']);
    expect(await publisherOn(promoted).publish('first', body)).toMatchObject({ replayed: true, postId: 'post_1' });
    expect(await publisherOn(promoted).publish('second', body)).toMatchObject({ state: 'accepted', postId: 'post_2' });
    expect(posts).toEqual(['post_1', 'post_2']);
  });

  it.each([
    ['the store still repeats it', 0],
    ['the store has given up', 5],
  ])(
    'that is synchronous has the mark of each request, if the primary restarts during the write and %s',
    async (_, lostReads) => {
      const { network, primary, pool, setSynchronous, failOver } = await startPair();
      const { posts, publisherOn } = service();
      await setSynchronous('ANY 1 (*)', 'quorum');
      expect(await warningsOf(pool)).toEqual([]);
      const waiting = async () =>
        (await pool.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).rowCount;
      let isUp = Promise.resolve();
      let reads = 0;
      const patient: PgClient = {
        query: async (query) => {
          // The reads that decide whether the write was executed.
          if (query.text.startsWith('SELECT version') && (reads += 1) <= lostReads)
            throw new Error('Connection terminated');
          await isUp;
          return pool.query(query);
        },
        getTransactionStatus: () => 'I',
      };
      network.pause();
      const call = publisherOn(patient).publish('key', body);
      await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
      // After its recovery, the primary shows the write that waited for the standby. The standby does not have it.
      isUp = primary.restart();
      await isUp;
      await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
      const early = [...posts];
      const [promoted] = await Promise.all([failOver(), expect(call).rejects.toMatchObject({ outcome: 'unknown' })]);
      expect(early).toEqual([]);
      expect(await publisherOn(promoted).publish('key', body)).toMatchObject({ state: 'accepted', postId: 'post_1' });
      expect(posts).toEqual(['post_1']);
    },
  );

  it('is reported as far as the role may see it', async () => {
    const { pool, url, setSynchronous } = await startPair();
    await warningsOf(pool); // Creates the table.
    await pool.query('CREATE ROLE app LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON social_publishing TO app');
    const app = poolOf(url, 'app');
    expect(await warningsOf(app)).toEqual([unknown]);
    await pool.query('REVOKE SELECT ON pg_stat_replication FROM PUBLIC');
    expect(await warningsOf(app)).toEqual([unknown]);
    await pool.query('GRANT SELECT ON pg_stat_replication TO PUBLIC; GRANT pg_read_all_stats TO app');
    expect(await warningsOf(app)).toEqual([noSynchronous]);
    const world = await cliWorld();
    ends.push(() => world.close());
    const { json } = await world.run(['doctor'], { env: { SOCIAL_PUBLISHING_STORE: url } });
    expect(json()).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({ check: 'store', status: 'warning', message: noSynchronous }),
      ]) as unknown,
    });
    await setSynchronous('FIRST 1 (*)', 'sync');
    expect(await warningsOf(app)).toEqual([]);
    await pool.query('REVOKE pg_read_all_stats FROM app; ALTER ROLE app SET synchronous_commit = local');
    expect(await warningsOf(poolOf(url, 'app'))).toEqual([
      expect.stringMatching(/synchronous_commit is local.*a failover .*twice.*Set it to on/),
    ]);
  });
});

it('a Postgres without a standby causes no warning', async () => {
  const primary = await startPostgres();
  ends.push(() => primary.stop());
  const pool = poolOf(primary.url);
  expect(await warningsOf(pool)).toEqual([]);
});
