/** Sends one message with `createOnce`, and kills itself at a step. Argument: an {@link OnceKillTask} as JSON. */
import { SocialPublishing } from '../../src/index.js';
import { createOnce } from '../../src/publisher/once.js';
import { openStore } from '../stores/open-store.js';
import { onceMessage, steppingStore } from './once-steps.js';
import type { OnceKillTask } from './once-kill-suite.js';

const { spec, baseUrl, dieAt } = JSON.parse(process.argv[2] ?? '') as OnceKillTask;
// Not to be left behind by a test that was stopped.
process.on('disconnect', () => process.exit());

const store = steppingStore(await openStore(spec), (step) => {
  if (step === dieAt) process.kill(process.pid, 'SIGKILL');
});
const client = new SocialPublishing({ baseUrl, accessKey: 'test-key' });
await createOnce({ store })('reply/1', onceMessage, (body) => client.messages.send(body));
