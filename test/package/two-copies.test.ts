/** An app whose ES modules make the client, and whose CommonJS modules have the publisher: two copies of the package. */
import { expect, it } from 'vitest';
import { evaluate } from './support/app.js';

const program = `
  import { createRequire } from 'node:module';
  import { SocialPublishing, SocialPublishingError, responseOf } from 'social-publishing';
  import { createEmulator } from 'social-publishing/emulator';
  const require = createRequire(import.meta.url);
  const main = require('social-publishing');
  const { createPublisher, MemoryDurableStore } = require('social-publishing/publisher');

  const service = createEmulator({ accessKey: 'test-key' });
  const accountId = service.seed.integration({ platform: 'bluesky' }).id;
  const client = new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'test-key', fetch: service.fetch });
  const publisher = createPublisher({ client, store: new MemoryDurableStore() });
  const body = { content: 'Hi', platforms: [{ platform: 'bluesky', accountId }], scheduledFor: '2099-01-01T00:00:00Z' };
  const fail = (fault) => service.faults.add({ route: 'POST /v1/posts/', times: 1, ...fault });

  const states = {};
  for (const status of [400, 401, 409]) {
    fail({ kind: 'status', status });
    states[status] = (await publisher.publish('key ' + status, body)).state;
  }
  fail({ kind: 'reset_after_commit' });
  const error = await client.posts.create(body).catch((error) => error);
  const other = new main.SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'test-key', fetch: service.fetch });
  const refused = await other.posts.reconcile(error).catch((error) => error.message);
  const page = await client.posts.list();
  console.log(JSON.stringify({
    states,
    outcome: main.outcomeOf(error),
    instances: [error instanceof SocialPublishingError, error instanceof main.SocialPublishingError],
    refused,
    statuses: [responseOf(page).status, main.responseOf(page)?.status],
  }));
`;

it('the CommonJS modules recognise errors and replies of an ESM client', async () => {
  expect(await evaluate('two-copies.mjs', program)).toEqual({
    states: { 400: 'rejected', 401: 'ready', 409: 'in_doubt' },
    outcome: 'unknown',
    instances: [true, false],
    refused: expect.stringContaining('call reconcile({ body, sentAt })') as string,
    statuses: [200, 200],
  });
});
