import { expect, it } from 'vitest';
import { loadSimulator } from '../load.js';
import { explore } from './explore.js';
import { bugNamed, scenario } from './named.js';
import { storyOf } from './story.js';

it('tells the shortest history of a planted bug', async () => {
  const simulator = await loadSimulator(bugNamed('reset-is-retried'));
  const { found } = await explore(simulator, scenario('publish by one process'), { bound: 1, mostFailures: 1 });
  const [first = ''] = found.map(storyOf);
  expect(first).toBe('A marks key-0, A POST /v1/posts/: reset before the service (FAULT), A gets the reply');
});
