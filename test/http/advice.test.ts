import { beforeEach, describe, expect, it } from 'vitest';
import type { SocialPublishing } from '../../src/client.js';
import { rejection, testClient } from '../policies/client.js';
import { json, WireServer, type Answer } from '../support/wire-server.js';

let server: WireServer;
let answer: Answer;

beforeEach(async () => {
  server = await WireServer.start(() => answer);
});

type Call = (client: SocialPublishing) => PromiseLike<unknown>;
const read: Call = (client) => client.posts.list();
const write: Call = (client) =>
  client.posts.create({
    content: 'Hello',
    saveAsDraft: true,
    platforms: [{ platform: 'bluesky', accountId: 'int_1' }],
  });
const paid: Call = (client) => client.analytics.getPost('post_1');
const paidIfSuccessful: Call = (client) => client.analytics.getInstagramInsights({ accountId: 'int_1' });

async function messageOf(call: Call): Promise<string> {
  const { client } = testClient(server.url, { maxRetries: 0 });
  const error = await rejection(call(client));
  if (!(error instanceof Error)) throw new Error('The call did not reject with an error.');
  return error.message;
}

describe('the message of a failed call says whether you can call again', () => {
  it.each([
    ['a read', read, 'It is a read, so it is safe to call again.'],
    ['a write', write, 'It may have been executed: check before you call again.'],
    ['a read that costs a credit', paid, 'It may have cost its credit, and calling again may cost another.'],
    ['a read whose success costs a credit', paidIfSuccessful, 'It is a read, so it is safe to call again.'],
  ])('%s, if the service failed', async (_, call, expected) => {
    answer = json({ success: false, error: 'Boom' }, 500);
    expect(await messageOf(call)).toContain(expected);
  });

  it('except if the service refused it', async () => {
    answer = json({ success: false, error: 'No' }, 400);
    expect(await messageOf(write)).not.toMatch(/call again/);
  });
});
