import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { build } from 'esbuild';
import pg from 'pg';
import { PostgresStore } from '../../../src/stores/postgres/index.js';
import { runEngine, type EngineCount } from '../../stores/servers/engine-run.js';
import { driverFolder } from '../../handles/folder.js';

/**
 * Runs examples/dbos in front of a Postgres. Its workers and receivers are killed at random.
 *
 * @param executors the IDs of the workers. Workers with the same ID run the same workflows after a restart.
 */
export async function runDbos(url: string, executors: readonly string[]): Promise<EngineCount> {
  const name = `sp_${randomUUID().slice(0, 8)}`;
  // DBOS and pg are installed in the folder, so the programs are written there.
  const outdir = join(driverFolder, 'examples-dbos');
  await build({
    entryPoints: ['enqueue', 'receiver', 'worker'].map((program) => `examples/dbos/${program}.ts`),
    ...{ outdir, outExtension: { '.js': '.mjs' }, bundle: true, format: 'esm', target: 'es2022', platform: 'node' },
    ...{ external: ['@dbos-inc/dbos-sdk', 'pg'], logLevel: 'error' },
  });
  return runEngine({
    name,
    commandOf: (program) => [process.execPath, join(outdir, `${program}.mjs`)],
    env: { DATABASE_URL: url, QUEUE_SCHEMA: name },
    workers: executors.map((id) => [id]),
    open: () => {
      const pool = new pg.Pool({ connectionString: url });
      return {
        store: new PostgresStore(pool, { table: `${name}_durable` }),
        close: async () => {
          await pool.query(`DROP SCHEMA IF EXISTS ${name} CASCADE; DROP TABLE IF EXISTS ${name}_durable`);
          await pool.end();
        },
      };
    },
  });
}
