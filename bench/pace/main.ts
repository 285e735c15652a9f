/**
 * Sends 200 creates in several ways to services on loopback with limits of 5, 20 and 100 requests per second. Writes
 * the arrived posts and times into docs/rate-limits.md. It runs for some minutes of real time, and mostly waits.
 *
 * npm run pace -- [--creates 200] [--limits 5,20,100]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { latencyMs, measurePace, waysFor, type PaceResult } from './measure.js';

const { values } = parseArgs({
  options: { creates: { type: 'string', default: '200' }, limits: { type: 'string', default: '5,20,100' } },
});
const creates = Number(values.creates);

const page = 'docs/rate-limits.md';
const [begin, end] = ['<!-- pace: written by npm run pace -->', '<!-- /pace -->'];

/** The load of the machine at the start: a busy one takes longer. */
const load = (loadavg()[0] ?? 0).toFixed(1);
const results: PaceResult[] = [];
for (const perSecond of values.limits.split(',').map(Number)) {
  for (const way of waysFor(perSecond)) {
    const result = await measurePace(way, perSecond, creates);
    results.push(result);
    console.log(row(result));
  }
}
const intro =
  `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${String(creates)} creates each, replies after ${String(latencyMs)} ms, load ${load}. The shortest possible time is ` +
  `${String(creates / 5 - 1)} seconds at 5 requests a second, ${String(creates / 20 - 1)} at 20, and ${String(creates / 100 - 1)} at 100.`;
const head = [
  '| requests a second | how | arrived | lost | doubled | 429 | seconds | limit |',
  '|---|---|---|---|---|---|---|---|',
];
writeTable([intro, '', ...head, ...results.map(row)].join('\n'));
const isWithin = ({ way, lost, doubled, seconds, mostSeconds = Infinity }: PaceResult) =>
  doubled === 0 && (lost === 0 || way.startsWith('bare')) && seconds <= mostSeconds;
process.exitCode = results.every(isWithin) ? 0 : 1;

function row({ perSecond, way, arrived, lost, doubled, refused, seconds, mostSeconds }: PaceResult): string {
  const limit = mostSeconds === undefined ? '' : `≤ ${mostSeconds.toFixed(1)}`;
  return `| ${[perSecond, way, arrived, lost, doubled, refused, seconds.toFixed(1), limit].join(' | ')} |`;
}

function writeTable(text: string): void {
  const old = readFileSync(page, 'utf8');
  const [before, after] = [old.indexOf(begin), old.indexOf(end)];
  if (before === -1 || after === -1) {
    console.log(`${page} has no place for the table.`);
    return;
  }
  writeFileSync(page, `${old.slice(0, before)}${begin}\n\n${text}\n\n${old.slice(after)}`);
}
