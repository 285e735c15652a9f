import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { afterAll, beforeAll } from 'vitest';
import { describeKills } from '../../publisher/kill-suite.js';
import { serverUrl } from './server-url.js';
import { UpstashBridge } from './upstash-bridge.js';

const folder = mkdtempSync(join(tmpdir(), 'social-publishing-handle-kills-'));
const run = `social-publishing-handle-kills-${randomUUID()}:`;
let bridge: UpstashBridge;

beforeAll(async () => {
  bridge = await UpstashBridge.start(serverUrl('REDIS_URL'));
});

afterAll(async () => {
  await bridge.close();
  rmSync(folder, { recursive: true, force: true });
  const client = createClient({ url: serverUrl('REDIS_URL') });
  await client.connect();
  for await (const keys of client.scanIterator({ MATCH: `${run}*`, COUNT: 1000 }))
    if (keys.length > 0) await client.unlink(keys);
  await client.close();
});

describeKills('SqliteStore over libSQL', () => ({ kind: 'libsql', file: join(folder, `${randomUUID()}.db`) }));
describeKills('RedisStore over upstash', () => ({
  kind: 'upstash',
  url: bridge.url,
  prefix: `${run}${randomUUID()}:`,
}));
