import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeKills } from '../../publisher/kill-suite.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { removeRedisKeys } from './remove-redis-keys.js';
import { serverUrl } from './server-url.js';
import { UpstashBridge } from './upstash-bridge.js';

const folder = temporaryFolder('social-publishing-handle-kills', afterAll);
const run = `social-publishing-handle-kills-${randomUUID()}:`;
let bridge: UpstashBridge;

beforeAll(async () => {
  bridge = await UpstashBridge.start(serverUrl('REDIS_URL'));
});

afterAll(async () => {
  await bridge.close();
  await removeRedisKeys(run);
});

describeKills('SqliteStore over libSQL', () => ({ kind: 'libsql', file: join(folder, `${randomUUID()}.db`) }));
describeKills('RedisStore over upstash', () => ({
  kind: 'upstash',
  url: bridge.url,
  prefix: `${run}${randomUUID()}:`,
}));
