/**
 * Runs the examples whose packages are not installed here: they are installed into a folder of the system's temporary
 * files. Arguments choose some: `npm run test:examples -- dbos`. Packages that this machine cannot install, and missing
 * servers, are reported as not run.
 */
import { install, versionOf, type PackageName } from '../../handles/folder.js';
import { runDbos } from './dbos.js';
import { runNextEmulator } from './next-emulator.js';
import { reactQueryPackages, runReactQuery } from './react-query.js';
import { checkTemporal } from './temporal.js';
import { checkTypes } from './types.js';
import { postgresAnswers } from '../../support/temporary-servers.js';

interface Check {
  readonly id: string;
  readonly needs: readonly PackageName[];
  /** Resolves to its results, or to `undefined` if a server, a browser or the build is missing. Rejects if the example does not work. */
  readonly run: () => Promise<object | undefined>;
}

const databaseUrl = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** The example for DBOS, with workers of these IDs. */
async function dbos(executors: readonly string[]): Promise<object | undefined> {
  checkTypes('dbos', ['@dbos-inc/dbos-sdk']);
  if (!(await postgresAnswers(databaseUrl))) return undefined;
  const count = await runDbos(databaseUrl, executors);
  const isRight =
    count.posts === count.intents &&
    count.published === count.intents &&
    count.doubled + count.heldWithPost + count.eventsLost === 0;
  if (!isRight) throw new Error(JSON.stringify(count));
  return count;
}

const checks: readonly Check[] = [
  { id: 'dbos', needs: ['@dbos-inc/dbos-sdk'], run: () => dbos(['worker-1', 'worker-2']) },
  // A wrong setting: a worker that restarts runs the workflows of the other one too.
  { id: 'dbos-one-id', needs: ['@dbos-inc/dbos-sdk'], run: () => dbos(['worker-1', 'worker-1']) },
  {
    id: 'temporal',
    needs: ['@temporalio/client', '@temporalio/worker', '@temporalio/workflow'],
    run: checkTemporal,
  },
  { id: 'react-query', needs: reactQueryPackages, run: runReactQuery },
  { id: 'next-emulator', needs: ['next', 'react', 'react-dom'], run: runNextEmulator },
];

const chosen = process.argv.slice(2);
const unknown = chosen.filter((id) => !checks.some((check) => check.id === id));
if (unknown.length > 0)
  throw new Error(`Unknown: ${unknown.join(', ')}. Known: ${checks.map(({ id }) => id).join(', ')}.`);
let failed = 0;
for (const check of checks) if (chosen.length === 0 || chosen.includes(check.id)) console.log(await line(check));
process.exitCode = failed > 0 ? 1 : 0;

async function line({ id, needs, run }: Check): Promise<string> {
  try {
    for (const needed of needs) await install(needed);
  } catch (error) {
    return `${id} | not run: ${(error as Error).message.split('\n')[0] ?? ''}`;
  }
  const versions = needs.map((name) => `${name} ${versionOf(name) ?? ''}`).join(', ');
  try {
    const result = await run();
    return result === undefined
      ? `${id} | not run: a server, a browser or the build is missing`
      : `${id} | ${versions} | Node ${process.versions.node} | ${JSON.stringify(result)}`;
  } catch (error) {
    failed += 1;
    return `${id} | ${versions} | FAILED: ${error instanceof Error ? error.message : String(error)}`;
  }
}
