import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { describeKills } from './kill-suite.js';
import { temporaryFolder } from '../support/temporary-folder.js';

// Its types don't know that older versions of Node have no such module.
if ((process.getBuiltinModule('node:sqlite') as object | undefined) === undefined) {
  describe('a publisher over SqliteStore that is killed', () => {
    it.skip('needs Node 22.13: npm run test:stores', () => {});
  });
} else {
  const folder = temporaryFolder('social-publishing-kills', afterAll);
  describeKills('SqliteStore', () => ({ kind: 'sqlite', file: join(folder, `${randomUUID()}.db`) }));
}
