import { join } from 'node:path';
import { build } from 'esbuild';
import { driverFolder, moduleOf } from '../../handles/folder.js';
import { checkTypes } from './types.js';

/**
 * Checks the types of examples/temporal, and bundles its workflows as a Temporal worker does: that fails if they import
 * a module of Node. It runs nothing, because Temporal's server is not on npm.
 */
export async function checkTemporal(): Promise<object> {
  checkTypes('temporal', ['@temporalio/client', '@temporalio/worker', '@temporalio/workflow']);
  const outfile = join(driverFolder, 'examples-temporal/workflows.mjs');
  await build({
    entryPoints: ['examples/temporal/workflows.ts'],
    ...{
      outfile,
      bundle: true,
      format: 'esm',
      target: 'es2022',
      external: ['@temporalio/workflow'],
      logLevel: 'error',
    },
  });
  const { bundleWorkflowCode } = (await import(moduleOf('@temporalio/worker'))) as {
    bundleWorkflowCode: (options: object) => Promise<{ code: string }>;
  };
  const quiet = () => {};
  const logger = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
  const { code } = await bundleWorkflowCode({ workflowsPath: outfile, logger });
  return { types: 'ok', workflowBundle: `${String(code.length)} characters`, run: 'not run here' };
}
