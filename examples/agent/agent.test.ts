import { SocialPublishing } from 'social-publishing';
import { createEmulator } from 'social-publishing/emulator';
import { expect, it } from 'vitest';
import { runAgent } from './agent.js';
import { scriptedModel } from './scripted-model.js';

function world() {
  const service = createEmulator({ accessKey: 'test-key' });
  const { id } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  const client = new SocialPublishing({
    baseUrl: 'https://emulator.test',
    accessKey: 'test-key',
    fetch: service.fetch,
  });
  const post = { key: 'sale', content: 'Spring is here', mode: 'publish', accountIds: [id] };
  const call = { tool: 'create_post', input: post };
  return { service, client, model: scriptedModel([{ tool: 'list_accounts', input: {} }, call, call]) };
}

it('an agent that repeats an approved call publishes once, and asks once', async () => {
  const { service, client, model } = world();
  const asked: string[] = [];
  const approve = (toolName: string) => asked.push(toolName) > 0;
  expect(await runAgent('Publish our sale.', { model, client, approve })).toBe('Done.');
  expect(asked).toEqual(['create_post']);
  expect(service.posts).toHaveLength(1);
});

it('an agent without approval publishes nothing', async () => {
  const { service, client, model } = world();
  expect(await runAgent('Publish our sale.', { model, client, approve: () => false })).toBe('Done.');
  expect(service.posts).toEqual([]);
});
