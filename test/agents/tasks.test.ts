import { expect, it } from 'vitest';
import { runTask, tasks } from './tasks.js';

it.each(tasks)('$prompt: no double, nothing without approval, and each dead end leads out', async (task) => {
  const report = await runTask(task);
  expect(report).toMatchObject({ doubles: 0, unapproved: 0, deadEnds: 0, done: true });
});

it('counts what breaks a law', async () => {
  const [spring] = tasks;
  if (spring === undefined) return expect.unreachable();
  const doubled = await runTask({ ...spring, agreesTo: /./ }, async (_, tools) => {
    const accounts = await tools.find(({ name }) => name === 'list_accounts')?.execute({});
    const [first] = accounts?.data?.['accounts'] as { accountId: string }[];
    const post = { content: 'Twice', mode: 'publish', accountIds: [first?.accountId] };
    for (const key of ['a', 'b']) await tools.find(({ name }) => name === 'create_post')?.execute({ key, ...post });
  });
  expect(doubled).toMatchObject({ doubles: 1, asked: 2, done: false });
});
