/**
 * Measures the built package, prints each figure with its limit, and writes them into docs/performance.md. Started by
 * `npm run bench` and `npm run bench -- --peers` (scripts/bench.ts); with `--print` it writes nothing. Exits with 4 if a
 * figure exceeds its limit.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { costRows } from './costs.js';
import { benchEmulator } from './emulator.js';
import { benchInbox } from './inbox.js';
import { installPeers, type Peers } from './peers.js';
import { benchPublisher } from './publisher.js';
import { benchReading } from './reading.js';
import { overLimits, table, type Row } from './table.js';

const file = 'docs/performance.md';
const peersStart = '## Compared with other libraries';

const withPeers = process.argv.includes('--peers');
const peers: Peers = withPeers ? await installPeers() : { ready: [], missing: [], remove: () => undefined };
try {
  const where = about();
  const reading = await benchReading(peers.ready);
  const rows = [
    ...reading.rows,
    ...(await benchEmulator()),
    ...costRows(),
    ...(await benchInbox()),
    ...(await benchPublisher()),
  ];
  const others = withPeers ? peersSection(where, reading.peerRows) : keptSection();
  const writes = !process.argv.includes('--print');
  if (writes) writeFileSync(file, document(where, rows, others));
  console.log(`${where}\n\n${table(rows)}\n`);
  if (withPeers) console.log(others);
  const over = rows.filter(({ passed }) => !passed);
  console.log(`${String(over.length)} figures over their limits${writes ? `; ${file} is written` : ''}.`);
  if (over.length > 0) process.exitCode = overLimits;
} finally {
  peers.remove();
}

/** Returns date, machine, versions and the load of the machine, which affects the figures. */
function about(): string {
  const version = (path: string) => (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
  const [cpu] = cpus();
  return [
    new Date().toISOString().slice(0, 10),
    `Node ${process.version}`,
    `social-publishing ${version('package.json')}`,
    `ky ${version('node_modules/ky/package.json')}`,
    `${process.platform} ${process.arch}`,
    `${String(cpus().length)} × ${cpu?.model.trim() ?? 'unknown processor'}`,
    `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    `load ${(loadavg()[0] ?? 0).toFixed(1)} at the start`,
  ].join(', ');
}

function document(where: string, rows: readonly Row[], others: string): string {
  return `# Performance

\`npm run bench\` measures the built package and writes this page. A server on loopback, in a separate thread, sends prepared replies.
In each round, each library reads the same replies once. A figure such as 1.10 × compares the client with ky (\`ky.get(url).json()\`), or
with the code that the row names. It is the median over all rounds, and the details show the middle half of them. "Over ky" means: compared with ky. Both sides ran on the same machine in
the same minute, so a multiple is easier to compare than a time. The client does more than ky: it checks each reply, keeps the key out of errors and limits
the size of a reply.

The limits are goals that the project sets for itself, not promises to you. If a figure is **over** its limit, the project has not
reached that goal on this machine, and the bench ends with exit code ${String(overLimits)}.

${where}.

${table(rows)}
${others}`;
}

function peersSection(where: string, rows: readonly (readonly string[])[]): string {
  const missing = peers.missing.map(({ name, why }) => `| ${name} | could not be installed: ${why} | | | |`);
  const lines = [...rows.map((cells) => `| ${cells.join(' | ')} |`), ...missing];
  return `
${peersStart}

\`npm run bench -- --peers\` installs the libraries below into a temporary folder. They take turns to read the same replies from the same
server. Each library belongs to another service, checks more or less, and retries by different rules. So the table compares only the
cost of a call. Each cell contains the median and its multiple of the bare fetch.

${where}.

| library | call | one post | 20 posts | 100 posts |
|---|---|---|---|---|
${lines.join('\n')}
`;
}

/** Returns the section about other libraries from an earlier run. */
function keptSection(): string {
  let before: string;
  try {
    before = readFileSync(file, 'utf8');
  } catch {
    return '';
  }
  const start = before.indexOf(peersStart);
  return start === -1 ? '' : `\n${before.slice(start)}`;
}
