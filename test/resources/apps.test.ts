import type { SocialPublishing } from 'social-publishing';
import type { Emulator } from 'social-publishing/emulator';
import { beforeEach, expect, it } from 'vitest';
import { everydayWorld } from './everyday-world.js';

let service: Emulator;
let client: SocialPublishing;
beforeEach(() => {
  ({ service, client } = everydayWorld({}, { strictResponses: true }));
});

it('a user with their own OAuth app stores its credentials, and never reads the secret again', async () => {
  const app = await client.apps.create({
    platform: 'tiktok',
    name: 'Acme',
    clientId: 'acme-id',
    clientSecret: 'acme-secret',
  });
  expect(app).toMatchObject({ platform: 'tiktok', name: 'Acme', clientId: 'acme-id' });
  expect(JSON.stringify(app)).not.toContain('acme-secret');
});

it('an error about an app does not show its secret either', async () => {
  service.faults.add({ kind: 'status', status: 400, body: { error: 'The secret acme-secret is wrong.' } });
  const error: unknown = await client.apps
    .create({ platform: 'tiktok', name: 'Acme', clientId: 'acme-id', clientSecret: 'acme-secret' })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 400 });
  expect(String(error)).not.toContain('acme-secret');
});
