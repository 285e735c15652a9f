/** Serves MCP over stdio, as the command does. Arguments: base URL, mode, and the file of a SqliteStore, if there is one. */
import { SocialPublishing } from '../../src/index.js';
import { MemoryDurableStore, createPublisher } from '../../src/publisher/index.js';
import { createTools, type ToolMode } from '../../src/tools/index.js';
import { serveMcpOverStdio } from '../../src/tools/mcp/serve.js';

const [baseUrl = '', mode = 'draft', file] = process.argv.slice(2);
const client = new SocialPublishing({ baseUrl, accessKey: process.env['TEST_ACCESS_KEY'] ?? '', maxRetries: 0 });
const store = file === undefined ? new MemoryDurableStore() : await sqliteStore(file);
const publisher = createPublisher({ client, store, leaseMs: 200 });
// The test passes one of the three modes.
serveMcpOverStdio({ tools: createTools({ client, publisher, store, mode: mode as ToolMode }) });

async function sqliteStore(path: string) {
  const { SqliteStore } = await import('../../src/stores/sqlite/index.js');
  const store = new SqliteStore(path);
  await store.setup();
  return store;
}
