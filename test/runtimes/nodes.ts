import { existsSync, readFileSync, rmSync } from 'node:fs';
import { program, run, type App, type Check } from './app.js';

const report = '.tmp/runtimes.json';

/** Returns the path of the newest Node of this version, for example "24" or "24.15". */
export async function nodeOf(wanted: string): Promise<string> {
  return process.versions.node.startsWith(`${wanted}.`) ? process.execPath : program(`node@${wanted}`, 'node');
}

/** The contract suite on every supported Node, against both module systems of the installed package. */
export const nodes: readonly Check[] = ['20', '22', '24', '26'].map((major) => ({
  id: `node${major}`,
  where: 'Node.js',
  what: 'contract suite, ESM and CommonJS',
  run: async (app) => {
    const node = await nodeOf(major);
    await app.install('msw@2.15.0');
    const version = (await run(node, ['--version'], app.folder)).trim().replace('v', '');
    const passed = [await contract(node, app, 'ESM'), await contract(node, app, 'CommonJS')];
    return { version, result: `${passed.map(String).join(' + ')} tests passed` };
  },
}));

async function contract(node: string, app: App, system: 'ESM' | 'CommonJS'): Promise<number> {
  rmSync(report, { force: true });
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'runtimes',
    '--reporter',
    'json',
    '--outputFile',
    report,
  ];
  // Failed tests are reported below by name; a runner that did not finish, by its missing report.
  let refused: string | undefined;
  await run(node, args, process.cwd(), { INSTALLED_PACKAGE: app.installed, MODULE_SYSTEM: system }).catch(
    (error: unknown) => {
      refused = String(error);
    },
  );
  if (!existsSync(report)) throw new Error(refused ?? 'The runner ended without a report.');
  const { numPassedTests, success, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  // No test's result contains an unhandled rejection: only the runner's exit code shows it.
  if (success && refused !== undefined) throw new Error(`${system}: ${refused}`);
  if (success && numPassedTests > 0) return numPassedTests;
  const failures = testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message === '' ? [] : [`${name}: ${message}`]),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join()}`),
  ]);
  throw new Error([system, ...failures].join('\n'));
}

/** The part of vitest's report that this file reads. */
interface Report {
  readonly numPassedTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}
