/**
 * Checks requests with a Prism mock of openapi.json: every request that the wire-form and contract tests send over a
 * socket. Exits with 1 if the mock refuses one, or if an operation was never sent.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { resolve } from 'node:path';
import { operations } from '../../scripts/openapi/operations.js';
import type { RecordedRequest } from './record.js';
import { program, run } from '../../test/runtimes/app.js';
import { freePort } from '../../test/support/temporary-servers.js';

const file = resolve('.tmp/requests.jsonl');
mkdirSync('.tmp', { recursive: true });
rmSync(file, { force: true });
await run(
  'npx',
  ['vitest', 'run', '--project', 'requests', '--no-file-parallelism', '--reporter', 'dot'],
  process.cwd(),
  { REQUESTS_FILE: file },
);
const recorded = [...new Set(readFileSync(file, 'utf8').trim().split('\n'))].map(
  (line) => JSON.parse(line) as RecordedRequest,
);

const node = await program('node@24', 'node');
const prism = await program('@stoplight/prism-cli@5.16.0', 'prism');
const port = await freePort();
const base = `http://127.0.0.1:${String(port)}`;
const mock = spawn(
  node,
  [prism, 'mock', '--errors', '--host', '127.0.0.1', '--port', String(port), resolve('openapi.json')],
  {
    cwd: tmpdir(),
    stdio: 'ignore',
  },
);
const sent = new Set<string>();
let judged = 0;
let refused = 0;
try {
  await listening();
  // A mock that accepts everything would prove nothing.
  const bad = await fetch(`${base}/v1/posts/?limit=1000`, { headers: { 'x-access-key': 'k' } });
  if (bad.status !== 422) throw new Error(`Prism took a limit of 1000 with ${String(bad.status)}.`);
  for (const { method, target, headers, body } of recorded) {
    const path = target.replace(/\?.*/s, '');
    const operation = operations.find(({ endpoint }) => matches(endpoint.route, method, path));
    // Sent by client.request: neither the document nor openapi.json has this operation.
    if (operation === undefined) continue;
    judged += 1;
    sent.add(operation.endpoint.route);
    const response = await fetch(base + target, { method, headers: kept(headers), ...(body === '' ? {} : { body }) });
    const text = await response.text();
    if (response.ok) continue;
    refused += 1;
    console.log(`refused with ${String(response.status)}: ${method} ${target} ${body}\n  ${text}`);
  }
} finally {
  mock.kill();
}
const missing = [...new Set(operations.map(({ endpoint }) => endpoint.route))].filter((route) => !sent.has(route));
for (const route of missing) console.log(`never sent: ${route}`);
console.log(`${String(judged)} different requests to ${String(sent.size)} routes, ${String(refused)} refused`);
process.exitCode = refused + missing.length === 0 ? 0 : 1;

/** Removes headers of the connection; the new connection sets them. */
function kept(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
  );
}

function matches(route: string, method: string, path: string): boolean {
  const [expected, template = ''] = route.split(' ');
  const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
  return expected === method && new RegExp(`^${pattern}$`).test(path);
}

async function listening(): Promise<void> {
  for (let tries = 0; tries < 120; tries += 1) {
    if (mock.exitCode !== null) break;
    const answered = await fetch(base).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(250);
  }
  throw new Error('Prism did not start.');
}
