/** Starts a separate redis-server on a free loopback port, runs test/redis against it, and stops it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { programMissing } from './servers/temporary.js';

if (spawnSync('redis-server', ['--version']).status !== 0) {
  console.error(
    'redis-server is not installed. Debian and Ubuntu: apt-get install redis-server. macOS: brew install redis.',
  );
  process.exit(programMissing);
}

const port = await freePort();
// It writes nothing to disk, and accepts no other clients.
const options = { port: String(port), bind: '127.0.0.1', save: '', appendonly: 'no', 'protected-mode': 'yes' };
const server = spawn(
  'redis-server',
  Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
let log = '';
server.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
try {
  while (!log.includes('Ready to accept connections')) {
    if (server.exitCode !== null) throw new Error(`redis-server did not start:\n${log}`);
    await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
  }
  const tests = spawn(
    'npx',
    ['vitest', 'run', '--project', 'redis', '--reporter', 'default', ...process.argv.slice(2)],
    {
      stdio: 'inherit',
      env: { ...process.env, REDIS_URL: `redis://127.0.0.1:${String(port)}` },
    },
  );
  const [code] = (await once(tests, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  server.kill();
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return free;
}
