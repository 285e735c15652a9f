import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, it } from 'vitest';
import { hasSqlite } from '../support/run-program.js';
import { describeProcesses } from './process-suite.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder('social-publishing-sqlite', afterAll);

if (hasSqlite)
  describeProcesses('SqliteStore', () =>
    Promise.resolve({
      spec: { kind: 'sqlite', file: join(folder, `${randomUUID()}.db`) },
      unset: () => Promise.resolve(),
    }),
  );
else it.skip('SqliteStore needs Node 22.13');
