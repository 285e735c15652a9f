// Runs worker.mjs in workerd and prints its address. Arguments: the folder of miniflare, the worker, the
// folder of the data, and further settings as JSON.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, worker, data, settings = '{}'] = process.argv.slice(2);
const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare');
const miniflare = new Miniflare({
  modules: true,
  script: readFileSync(worker, 'utf8'),
  compatibilityDate: '2026-01-01',
  compatibilityFlags: ['nodejs_compat'],
  d1Databases: ['DB'],
  d1Persist: join(data, 'd1'),
  durableObjects: { BOX: { className: 'Box', useSQLite: true } },
  durableObjectsPersist: join(data, 'objects'),
  unsafeTriggerHandlers: true,
  ...JSON.parse(settings),
});
console.log(String(await miniflare.ready));
