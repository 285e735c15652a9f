/** The settings of a Postgres server that the promise needs. */
import { setupFailure } from '../failure.js';
import { isPGlite, type PostgresHandle, type RunSql } from './client.js';
import { stateOf } from './failure.js';

type PostgresSettings = Awaited<ReturnType<typeof settingsOf>>;

/** The first version with `to_regclass(text)`. */
const oldestVersion = 90_600;

const twice = 'can undo acknowledged writes, and a post can be published twice';

/**
 * Returns the setting to use, for each setting that cannot keep the promise.
 * @throws ConfigurationError the server is too old, or its encoding is not UTF8
 */
export async function postgresWarnings(run: RunSql, client: PostgresHandle): Promise<string[]> {
  const settings = await settingsOf(run);
  const { version, encoding } = settings;
  if (version < oldestVersion)
    throw setupFailure(`PostgresStore needs Postgres 9.6 or later; this server has version number ${version}.`);
  if (encoding !== 'UTF8')
    throw setupFailure(`PostgresStore needs a database with the encoding UTF8; this one has ${encoding}.`);
  if (!isPGlite(client))
    return [
      ...crashWarnings(settings, 'Set fsync = on in postgresql.conf'),
      ...(await failoverWarnings(run, settings)),
    ];
  if (client.dataDir === undefined || client.dataDir.startsWith('memory:'))
    return [`PostgresStore: this PGlite is in memory. The end of the process ${twice}. Pass it a folder.`];
  return crashWarnings(settings, 'PGlite cannot turn it on');
}

function crashWarnings({ synchronousCommit, fsync }: PostgresSettings, fsyncAdvice: string): string[] {
  const warnings: string[] = [];
  if (synchronousCommit === 'off')
    warnings.push(
      `PostgresStore: synchronous_commit is off: a crash ${twice}. Set it to on, for example: ALTER ROLE … SET synchronous_commit = on.`,
    );
  if (fsync === 'off') warnings.push(`PostgresStore: fsync is off: a crash ${twice}. ${fsyncAdvice}.`);
  return warnings;
}

/** A failover loses the writes that the promoted standby did not get. */
async function failoverWarnings(
  run: RunSql,
  { synchronousCommit, synchronousStandbys }: PostgresSettings,
): Promise<string[]> {
  const { visible, hidden } = await standbysOf(run);
  if (visible + hidden === 0) return [];
  // Empty: no standby is synchronous.
  if (synchronousStandbys !== '') {
    if (synchronousCommit !== 'local') return [];
    return [
      `PostgresStore: synchronous_commit is local, so a write does not wait for the synchronous standby: a failover ${twice}. ` +
        'Set it to on, for example: ALTER ROLE … SET synchronous_commit = on.',
    ];
  }
  if (visible > 0)
    return [
      `PostgresStore: a standby is connected, and no standby is synchronous: a failover ${twice}. ` +
        "Set synchronous_standby_names to the names of your standbys, for example: ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 " +
        "(standby1)'. They are in pg_stat_replication, as application_name; * also accepts a backup.",
    ];
  return [
    'PostgresStore: another server receives the changes of this one, and synchronous_standby_names is empty. Whether it is a standby is ' +
      `unknown, because this role may not see it. If it is one, a failover ${twice}. Set synchronous_standby_names, or let the store ` +
      'check it: GRANT pg_read_all_stats TO …',
  ];
}

async function settingsOf(run: RunSql) {
  const names = ['server_version_num', 'server_encoding', 'synchronous_commit', 'fsync', 'synchronous_standby_names'];
  const [row = []] = await run(`SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`);
  const [version, encoding = '', synchronousCommit = '', fsync = '', synchronousStandbys = ''] = row.map(String);
  return { version: Number(version), encoding, synchronousCommit, fsync, synchronousStandbys };
}

/**
 * Counts the connected standbys, visible and hidden ones. Without the rights of `pg_read_all_stats`, Postgres shows their
 * connections only, with an empty `state`. Logical replication and backups use such connections, too, but nothing fails
 * over to them.
 */
async function standbysOf(run: RunSql): Promise<{ visible: number; hidden: number }> {
  try {
    const [row = []] = await run(
      `SELECT (count(*) FILTER (WHERE state IN ('streaming', 'catchup')))::text, (count(*) FILTER (WHERE state IS NULL))::text
       FROM pg_stat_replication AS standby WHERE application_name IS DISTINCT FROM 'pg_basebackup' AND NOT EXISTS
         (SELECT 1 FROM pg_replication_slots WHERE active_pid = standby.pid AND slot_type = 'logical')`,
    );
    const [visible = 0, hidden = 0] = row.map(Number);
    return { visible, hidden };
  } catch (error) {
    const state = stateOf(error);
    if (state === undefined) throw error;
    // 42501: this role may not see them. Servers that only speak the protocol of Postgres do not have these views.
    return { visible: 0, hidden: state === '42501' ? 1 : 0 };
  }
}
