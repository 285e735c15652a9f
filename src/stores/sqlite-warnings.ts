import type { SqliteDriver } from './sqlite-driver.js';

/** Returns the setting to use, for each setting that cannot keep the promise. */
export async function sqliteWarnings({ read, hasPragmas }: SqliteDriver): Promise<string[]> {
  if (!hasPragmas) return [];
  const pragma = (name: string) => read({ sql: `PRAGMA ${name}`, parameters: [] });
  const loss = 'can undo acknowledged writes, and a post can be published twice';
  const files = await pragma('database_list');
  if (files.some(({ name, file }) => name === 'main' && (file ?? '') === ''))
    return [`SqliteStore: this database is in memory. The end of the process ${loss}. Use a file.`];
  const warnings: string[] = [];
  const journal = String((await pragma('journal_mode'))[0]?.['journal_mode']).toUpperCase();
  if (journal === 'OFF' || journal === 'MEMORY')
    warnings.push(
      `SqliteStore: this database has journal_mode = ${journal}. A crash ${loss}. Set: PRAGMA journal_mode = WAL.`,
    );
  const synchronous = Number((await pragma('synchronous'))[0]?.['synchronous']);
  if (synchronous < 2)
    warnings.push(
      `SqliteStore: this database has synchronous = ${synchronous === 1 ? 'NORMAL' : 'OFF'}. A power cut ${loss}. ` +
        'Set: PRAGMA synchronous = FULL.',
    );
  return warnings;
}
