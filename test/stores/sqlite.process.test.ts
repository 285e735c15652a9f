import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, it } from 'vitest';
import { hasSqlite } from '../support/run-program.js';
import { describeProcesses } from './process-suite.js';

const folder = mkdtempSync(join(tmpdir(), 'social-publishing-sqlite-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

if (hasSqlite)
  describeProcesses('SqliteStore', () =>
    Promise.resolve({
      spec: { kind: 'sqlite', file: join(folder, `${randomUUID()}.db`) },
      unset: () => Promise.resolve(),
    }),
  );
else it.skip('SqliteStore needs Node 22.13');
