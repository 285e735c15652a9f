/** Publishes one intent and kills itself at a step. Argument: a {@link KillTask} as JSON. */
import { SocialPublishing } from '../../src/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { openStore } from '../stores/open-store.js';
import { fiveMethods } from '../support/five-methods.js';
import type { KillTask } from './kill-suite.js';

const { spec, baseUrl, dieAt, leaseMs, body } = JSON.parse(process.argv[2] ?? '') as KillTask;
// Not to be left behind by a test that was stopped.
process.on('disconnect', () => process.exit());

const opened = await openStore(spec);
// A store that claims and notes at once comes to no step between the two.
const store = dieAt === 'claimed' ? fiveMethods(opened) : opened;
const client = new SocialPublishing({ baseUrl, accessKey: 'test-key' });
const publisher = createPublisher(
  { client, store, leaseMs },
  {
    onStep: (step) => {
      if (step === dieAt) process.kill(process.pid, 'SIGKILL');
    },
  },
);
await publisher.publish('key', body);
