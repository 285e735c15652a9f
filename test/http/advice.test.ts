import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SocialPublishing } from '../../src/client.js';
import { rejection, testClient } from '../policies/client.js';
import { closedPort, hangUp, json, WireServer, type Answer } from '../support/wire-server.js';

let server: WireServer;
let answer: Answer;

beforeEach(async () => {
  server = await WireServer.start(() => answer);
});
afterEach(() => server.close());

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

const internal = json({ success: false, error: 'Boom' }, 500);
const denied = json({ success: false, error: 'No' }, 400);

async function messageOf(call: Call, baseUrl = server.url): Promise<string> {
  const { client } = testClient(baseUrl, { maxRetries: 0 });
  const error = await rejection(call(client));
  if (!(error instanceof Error)) throw new Error('The call did not reject with an error.');
  return error.message;
}

describe('the message of a failed call says whether you can call again', () => {
  it.each([
    ['a read', read, 'It is a read, so it is safe to call again.'],
    ['a write', write, 'It may have been executed: check before you call again.'],
    ['a read that costs a credit', paid, 'It may have cost its credit, and calling again may cost another.'],
  ])('%s, if the service failed or hung up', async (_, call, expected) => {
    answer = internal;
    expect(await messageOf(call)).toContain(expected);
    answer = hangUp;
    expect(await messageOf(call)).toContain(expected);
  });

  it('that it cost nothing, if only a success costs a credit and the service failed', async () => {
    answer = internal;
    expect(await messageOf(paidIfSuccessful)).toContain('It is a read, so it is safe to call again.');
    answer = hangUp;
    expect(await messageOf(paidIfSuccessful)).toContain('It may have cost its credit');
  });

  it.each([
    ['a read', read],
    ['a write', write],
  ])('%s, if nothing listens', async (_, call) => {
    expect(await messageOf(call, await closedPort())).toContain(
      'The service never saw it, so it is safe to call again.',
    );
  });

  it('except if the service refused it', async () => {
    answer = denied;
    expect(await messageOf(write)).not.toMatch(/call again/);
  });
});
