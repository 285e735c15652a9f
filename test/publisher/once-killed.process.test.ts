import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { describeOnceKills } from './once-kill-suite.js';

describeOnceKills('MemoryDurableStore', () => ({ kind: 'memory' }));

if (isBuiltin('node:sqlite')) {
  const folder = mkdtempSync(join(tmpdir(), 'social-publishing-once-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  describeOnceKills('SqliteStore', () => ({ kind: 'sqlite', file: join(folder, `${randomUUID()}.db`) }));
} else {
  describe('createOnce over SqliteStore that is killed', () => {
    it.skip('needs Node 22.13: npm run test:stores', () => {});
  });
}
