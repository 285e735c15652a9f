import type { SocialPublishing } from 'social-publishing';
import type { Emulator } from 'social-publishing/emulator';
import { beforeEach, describe, expect, it } from 'vitest';
import { everydayWorld } from './everyday-world.js';

let service: Emulator;
let client: SocialPublishing;
beforeEach(() => {
  ({ service, client } = everydayWorld({}, { strictResponses: true }));
});

let account: { platform: 'instagram'; accountId: string };

beforeEach(() => {
  account = { platform: 'instagram', accountId: service.seed.integration({ platform: 'instagram' }).id };
});

function customerWrites(text: string) {
  const { id, participants } = service.seed.conversation({ accountId: account.accountId });
  const customer = participants?.[0]?.id ?? '';
  service.seed.message({ accountId: account.accountId, conversationId: id, text, from: { id: customer } });
  return { conversationId: id, customer };
}

describe('a user who answers direct messages', () => {
  it('sees who wrote last', async () => {
    customerWrites('Are you open on Sunday?');
    const { items } = await client.messages.listConversations(account);
    expect(items).toMatchObject([{ lastMessage: { text: 'Are you open on Sunday?' } }]);
  });

  it('reads a conversation, newest message first', async () => {
    const { conversationId } = customerWrites('Hello?');
    await service.clock.advance({ minutes: 1 });
    service.seed.message({ accountId: account.accountId, conversationId, text: 'Anybody there?' });

    const messages = await client.messages.list(conversationId, account).toArray();
    expect(messages.map(({ text }) => text)).toEqual(['Anybody there?', 'Hello?']);
  });

  it('replies, and finds the reply in the conversation as their own', async () => {
    const { conversationId, customer } = customerWrites('Are you open on Sunday?');
    await service.clock.advance({ minutes: 1 });
    const { messageId } = await client.messages.send({ ...account, recipientId: customer, text: 'From ten to six.' });

    const { response } = await client.messages.listConversations(account);
    const [newest] = (await client.messages.list(conversationId, account)).items;
    expect(newest).toMatchObject({ id: messageId, text: 'From ten to six.', from: { id: response.selfId } });
  });
});

it('a reply that may have been sent is not retried', async () => {
  const { customer } = customerWrites('Hello?');
  service.faults.add({ kind: 'reset_after_commit' });

  const sending = client.messages.send({ ...account, recipientId: customer, text: 'Hello!' });
  await expect(sending).rejects.toMatchObject({ outcome: 'unknown' });
  expect(service.requests).toHaveLength(1);
});
