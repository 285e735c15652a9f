/** Publishes one intent and kills itself at a step. Argument: a {@link KillTask} as JSON. */
import { SocialPublishing } from '../../src/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { openStore } from '../stores/open-store.js';
import { CrashPoints } from './crash-points.js';
import type { KillTask } from './kill-suite.js';

const { spec, baseUrl, dieAt, leaseMs, body } = JSON.parse(process.argv[2] ?? '') as KillTask;
// Not to be left behind by a test that was stopped.
process.on('disconnect', () => process.exit());

const { store, fetch } = new CrashPoints(await openStore(spec), globalThis.fetch, (point) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL');
});
const client = new SocialPublishing({ baseUrl, accessKey: 'test-key', fetch });
const publisher = createPublisher({ client, store, leaseMs });
await publisher.publish('key', body);
