/** No error of a publisher claims more than is proved. Postgres and Redis: test/stores/servers/outcomes.spec.ts. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { openStore } from '../stores/open-store.js';
import { describeOutcomes } from './outcome-suite.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder('social-publishing-outcomes', afterAll);

// Older versions of Node have no node:sqlite. The store is the same on libSQL.
const kind = (process.getBuiltinModule('node:sqlite') as object | undefined) === undefined ? 'libsql' : 'sqlite';

describeOutcomes('SqliteStore', async () => {
  const file = join(folder, `${randomUUID()}.db`);
  const [store, other] = [await openStore({ kind, file }), await openStore({ kind, file })];
  await store.setup?.();
  return { store, other, close: () => SqliteStore.prototype.close.call(store) };
});
