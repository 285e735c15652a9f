/** The number of intents that stayed in doubt in the published chaos runs, as sentences for docs/durable.md. */
import { readFileSync } from 'node:fs';

interface ChaosRun {
  readonly store: string;
  readonly intents: number;
  readonly doubles: number;
  readonly held: number;
}

/** Reads the first table that `npm run chaos` wrote into docs/durable-tests.md. */
function readRuns(): readonly ChaosRun[] {
  const [, written = ''] = readFileSync('docs/durable-tests.md', 'utf8').split(
    '<!-- chaos: written by npm run chaos -->',
  );
  const [table = ''] = written.trim().split('\n\n');
  const rows = table.matchAll(/^\| (\w+) \| (\d+) \| \d+ \| (\d+) \| (\d+)\b[^|]*\| \d+ \|/gm);
  const runs = [...rows].map(([, store = '', intents, doubles, held]) => ({
    store,
    intents: Number(intents),
    doubles: Number(doubles),
    held: Number(held),
  }));
  if (runs.length === 0) throw new Error('docs/durable-tests.md has no table of chaos runs.');
  return runs;
}

/** Says how often an intent stayed in doubt. */
export function inDoubtText(): string {
  const runs = readRuns();
  const sizes = [...new Set(runs.map(({ intents }) => number(intents)))];
  if (sizes.length > 1) throw new Error('The chaos runs of docs/durable-tests.md have different numbers of intents.');
  const held = runs.map(
    (run, index) => `${number(run.held)}${index === 0 ? ' stayed `in_doubt`' : ''} on ${run.store}`,
  );
  const doubles = runs.reduce((sum, run) => sum + run.doubles, 0);
  return [
    'In the [crash tests](durable-tests.md#chaos), a process is killed every 200 ms.',
    `Of ${sizes.join('')} intents in each test, ${new Intl.ListFormat('en').format(held)}. ${doubles === 0 ? 'No post was' : `${number(doubles)} posts were`} published twice.`,
  ].join('\n');
}

const number = (value: number): string => value.toLocaleString('en');
