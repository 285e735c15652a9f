import type * as NodeSqlite from 'node:sqlite';
import { it } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import { expectShortDue } from './due-time.js';

const sqlite = process.getBuiltinModule('node:sqlite') as typeof NodeSqlite | undefined;

it.skipIf(sqlite === undefined)(
  'SqliteStore of 1,000,000 items finds 100 that are due in less than 10 ms',
  async () => {
    if (sqlite === undefined) return;
    const database = new sqlite.DatabaseSync(':memory:');
    const store = new SqliteStore(database);
    await store.setup();
    database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
    INSERT INTO social_publishing SELECT 'intent/' || i, 1, '{"state":"published"}', CASE WHEN i % 10000 = 0 THEN i END FROM n`);
    await expectShortDue(store, 'SqliteStore');
    database.close();
  },
);
