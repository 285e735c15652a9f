import { randomUUID } from 'node:crypto';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { describeOnceKills } from './once-kill-suite.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describeOnceKills('MemoryDurableStore', () => ({ kind: 'memory' }));

if (isBuiltin('node:sqlite')) {
  const folder = temporaryFolder('social-publishing-once', afterAll);
  describeOnceKills('SqliteStore', () => ({ kind: 'sqlite', file: join(folder, `${randomUUID()}.db`) }));
} else {
  describe('createOnce over SqliteStore that is killed', () => {
    it.skip('needs Node 22.13: npm run test:stores', () => {});
  });
}
