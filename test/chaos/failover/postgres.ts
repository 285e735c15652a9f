import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Network } from '../../support/network.js';
import { startPostgres, type TemporaryServer } from '../../support/temporary-servers.js';
import type { LosableStore } from './run.js';
import { portOf, stallMs, until, type Server } from './servers.js';

/** A primary with a standby. Clients reach the primary through a network that leads to the standby after a failover. */
export async function startPostgresPair(mode: 'synchronous' | 'asynchronous'): Promise<LosableStore & Server> {
  let primary = await startPostgres();
  if (mode === 'synchronous') {
    // A name, not `*`: it would also accept a backup, or a consumer of changes. The standby inherits the setting.
    await ask(primary, `ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)'`);
    await ask(primary, 'SELECT pg_reload_conf()');
  }
  let { link, standby } = await attachStandby(primary, mode);
  const front = await Network.to(portOf(primary));
  const url = primary.url.replace(`:${portOf(primary)}/`, `:${front.port}/`);
  return {
    spec: { kind: 'pg Pool', url, schema: 'public' },
    fail: async () => {
      link.pause();
      await sleep(stallMs);
      await primary.kill();
      link.close();
      // For a moment, clients reach the standby before it accepts writes.
      front.redirect(portOf(standby));
      await ask(standby, 'SELECT pg_promote()');
      const lost = primary;
      primary = standby;
      await lost.stop();
      ({ link, standby } = await attachStandby(primary, mode));
    },
    stop: async () => {
      front.close();
      link.close();
      await standby.stop();
      await primary.stop();
    },
  };
}

async function attachStandby(primary: TemporaryServer, mode: 'synchronous' | 'asynchronous') {
  const link = await Network.to(portOf(primary));
  const standby = await startPostgres({ primary: link.port, name: 'standby' });
  const wanted = mode === 'synchronous' ? `sync_state = 'quorum'` : `state = 'streaming'`;
  await until(
    async () =>
      (await ask(primary, `SELECT 1 FROM pg_stat_replication WHERE application_name = 'standby' AND ${wanted}`)) === 1,
  );
  return { link, standby };
}

/** Returns the number of rows. */
async function ask({ url }: TemporaryServer, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
