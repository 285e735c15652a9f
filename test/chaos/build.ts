import { build } from 'esbuild';
import type { StoreSpec } from '../stores/open-store.js';

const folder = '.tmp/chaos';
export const builtWorker = `${folder}/worker.cjs`;
export const builtInbox = `${folder}/inbox-process.cjs`;

const clients = ['pg', 'postgres', 'redis', 'ioredis'];
const clientOf: Readonly<Partial<Record<StoreSpec['kind'], string>>> = { 'pg Pool': 'pg', 'node-redis': 'redis' };

/** Bundles each program into one file, so that a process that replaces a killed one starts fast. */
export async function buildPrograms(kind: StoreSpec['kind']): Promise<void> {
  await build({
    entryPoints: ['test/chaos/worker.ts', 'test/chaos/inbox-process.ts'],
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // Modules that pg loads only if installed or in another runtime, and the clients of the other stores.
    external: ['pg-native', 'pg-cloudflare', ...clients.filter((client) => client !== clientOf[kind])],
    logLevel: 'error',
  });
  // Newer versions of Node cache compiled code.
  process.env['NODE_COMPILE_CACHE'] ??= `${folder}/compile-cache`;
}
