/**
 * `--sample 100 ROOM [--seed 1]`: draws random mutants of a room and runs each against the room's tests that cover it.
 * MUTATION_LOG=1 shows the progress.
 */
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { mutationRooms } from './rooms.js';

const configFile = 'maintenance/mutation/stryker.config.mjs';
await sampleRoom();

async function sampleRoom(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { sample: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
  });
  const [name = ''] = positionals;
  const room = mutationRooms[name];
  const sample = { size: Number(values.sample), seed: Number(values.seed) };
  if (room === undefined || !Number.isSafeInteger(sample.size) || !Number.isSafeInteger(sample.seed)) {
    console.error(`Usage: npm run mutation -- --sample 100 ${Object.keys(mutationRooms).join('|')} [--seed 1]`);
    process.exitCode = 1;
    return;
  }
  process.env['MUTATION_TESTS'] = room.tests.join(' ');
  const mutants = await new Stryker({
    configFile,
    mutate: [...room.mutate],
    plugins: ['@stryker-mutator/vitest-runner', './maintenance/mutation/sample-checker.mjs'],
    checkers: ['sample'],
    reporters: process.env['MUTATION_LOG'] === undefined ? [] : ['progress-append-only'],
    warnings: false,
    sample,
  }).runMutationTest();
  report(
    name,
    sample.seed,
    mutants.filter(({ status }) => status !== 'CompileError'),
  );
}

type Mutants = Awaited<ReturnType<Stryker['runMutationTest']>>;

function report(room: string, seed: number, mutants: Mutants): void {
  const counts = new Map<string, number>();
  for (const { status, fileName, location, mutatorName, replacement } of mutants) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
    const path = fileName.slice(fileName.indexOf('src/'));
    const place = `${path}:${String(location.start.line)}:${String(location.start.column)}`;
    console.log(`${status.padEnd(10)} ${place} ${mutatorName} → ${replacement.replace(/\s+/g, ' ').slice(0, 100)}`);
  }
  const count = (status: string) => counts.get(status) ?? 0;
  const noticed = count('Killed') + count('Timeout');
  const all = noticed + count('Survived') + count('NoCoverage');
  console.log(
    `\n${room}, seed ${String(seed)}: ${[...counts].map(([status, n]) => `${String(n)} ${status}`).join(', ')}`,
  );
  console.log(`score ${((100 * noticed) / all).toFixed(1)} % of ${String(all)}`);
}
