import type { SocialPublishing } from 'social-publishing';
import type { Emulator } from 'social-publishing/emulator';
import { beforeEach, describe, expect, it } from 'vitest';
import { everydayWorld } from './everyday-world.js';

let service: Emulator;
let client: SocialPublishing;
beforeEach(() => {
  ({ service, client } = everydayWorld({}, { strictResponses: true }));
});

describe('a user who connects accounts', () => {
  it('saves the Facebook Pages that were chosen, by a token that works once', async () => {
    const { token } = service.seed.selection({
      platform: 'facebook',
      accounts: [
        { id: 'page_1', displayName: 'Acme' },
        { id: 'page_2', displayName: 'Acme Careers' },
      ],
    });

    const { integrations } = await client.integrations.selectFacebookPages(token, { selectedAccountIds: ['page_2'] });
    expect(integrations).toMatchObject([{ platform: 'facebook', displayName: 'Acme Careers' }]);

    const again = client.integrations.selectFacebookPages(token, { selectedAccountIds: ['page_1'] });
    await expect(again).rejects.toMatchObject({ status: 410 });
  });

  it('saves Instagram accounts in the same way', async () => {
    const { token } = service.seed.selection({ platform: 'instagram', accounts: [{ id: 'ig_1', username: 'acme' }] });
    await client.integrations.selectInstagramAccounts(token, { selectedAccountIds: ['ig_1'] });
    expect((await client.integrations.list()).items).toMatchObject([{ platform: 'instagram', username: 'acme' }]);
  });
});

describe('a user who checks connected accounts', () => {
  it('finds one by its name', async () => {
    service.seed.integration({ platform: 'youtube', displayName: 'Acme Films' });
    service.seed.integration({ platform: 'youtube', displayName: 'Other' });
    expect((await client.integrations.list({ q: 'films' })).items).toMatchObject([{ displayName: 'Acme Films' }]);
  });

  it('learns that one must be connected again', async () => {
    const { id } = service.seed.integration({
      platform: 'tiktok',
      authStatus: 'expired',
      authFailureReason: 'token_expired',
    });
    const { tokenStatus } = await client.integrations.get(id);
    expect(tokenStatus).toMatchObject({ valid: false, reconnectRequired: true, reason: 'token_expired' });
  });

  it('moves one to another profile, and out of it with null', async () => {
    const { id } = service.seed.integration({ platform: 'threads' });
    service.seed.integration({ platform: 'bluesky', profileId: 'brand', profileName: 'Brand' });

    expect(await client.integrations.update(id, { profileId: 'brand' })).toMatchObject({ profileName: 'Brand' });
    expect((await client.integrations.list({ profileId: 'brand' })).items).toHaveLength(2);
    expect(await client.integrations.update(id, { profileId: null })).toMatchObject({ profileId: null });
  });
});
