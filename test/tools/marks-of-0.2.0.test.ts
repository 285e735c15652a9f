import { beforeEach, describe, expect, it } from 'vitest';
import { ToolWorld } from './world.js';
import rows from './marks-of-0.2.0.json' with { type: 'json' };

const message = { accountId: 'integration_1', recipientId: 'kim', text: 'Hello' };
const automation = { accountId: 'integration_1', name: 'Sale', keywords: ['sale'], dmMessage: 'hi' };
let world: ToolWorld;

// The tools of release 0.2.0 wrote these rows.
beforeEach(async () => {
  world = new ToolWorld();
  for (const { key, data } of rows) await world.store.insert(key, data, null);
});

describe('marks that release 0.2.0 wrote', () => {
  it.each([
    ['send_message', { key: 'sent', ...message }, { messageId: 'message_2' }],
    ['send_message', { key: 'cafe\u0301', ...message }, { messageId: 'message_4' }],
    ['send_message', { key: 'caf\u00e9', ...message }, { messageId: 'message_4' }],
    ['create_automation', { key: 'sale', ...automation }, { automationId: 'automation_1' }],
  ])('%s with %j returns the stored result, and calls nothing', async (tool, input, data) => {
    const result = await world.agent({ mode: 'publish' })(tool, input);
    expect(result).toMatchObject({ status: 'ok', data: { ...data, replayed: true } });
    expect(world.service.requests).toEqual([]);
  });

  it('hold a key without a result, and refuse another body', async () => {
    const send = world.agent({ mode: 'publish' });
    expect(await send('send_message', { key: 'held', ...message })).toMatchObject({ status: 'held' });
    expect(await send('send_message', { key: 'sent', ...message, text: 'Other' })).toMatchObject({
      status: 'rejected',
    });
    expect(world.service.requests).toEqual([]);
  });
});
