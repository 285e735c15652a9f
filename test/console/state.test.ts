import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accounts } from '../../src/console/state/accounts.js';
import { inbox } from '../../src/console/views/messages/conversations.js';
import { standPage, type Ground } from './support/page.js';
import { start } from './support/world.js';

let ground: Ground;

beforeEach(() => {
  ground = standPage(start);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('conversations', () => {
  it('are read in one request, the first page with them', async () => {
    const { id } = ground.service.seed.integration({ platform: 'instagram', username: 'acme' });
    for (const name of ['Ada', 'Kim'])
      ground.service.incoming.message({ accountId: id, text: 'Hi', from: { id: name, name } });
    await accounts.reload();
    ground.asked.length = 0;
    await inbox.reload();
    expect(inbox.value.value?.conversations).toHaveLength(2);
    expect(inbox.value.value?.selfId).toBeDefined();
    expect(ground.asked).toEqual(['GET /v1/messages/']);
  });
});
