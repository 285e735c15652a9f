import { expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { raw, start } from '../world.js';

it('the clock names its next event: a publication, its end, a delivery, a run, a step, the expiry of a token', async () => {
  const service = createEmulator({ now: () => start, deliver: () => new Response(null, { status: 500 }) });
  const soon = new Date(start + 60_000).toISOString();
  const { id: accountId } = service.seed.integration({ platform: 'instagram', accessTokenExpiresAt: soon });
  expect(service.clock.nextEvent).toEqual({ at: start + 60_000, kind: 'expire', accountId });
  const { id: automationId } = service.seed.automation({ accountId, trigger: { keywords: ['guide'] } });
  service.incoming.comment({ accountId, postId: 'media', text: 'guide' });
  expect(service.clock.nextEvent).toMatchObject({ kind: 'answer', automationId });
  await service.clock.step();
  service.scenario([{ at: { seconds: 1 }, outcomes: { error: 'Down' } }]);
  expect(service.clock.nextEvent).toMatchObject({ kind: 'scenario' });
  await service.clock.step();
  const platforms = [{ platform: 'instagram', accountId }];
  const body = { content: 'Hi', scheduledFor: new Date(start + 10_000).toISOString(), platforms };
  const { postId } = (await raw(service, 'POST /v1/posts/', body)).body as { postId: string };
  expect(service.clock.nextEvent).toMatchObject({ kind: 'publish', postId });
  service.seed.subscription({ webhook: { url: 'https://app.test/' } });
  await service.clock.step();
  await service.settled();
  expect(service.clock.nextEvent).toMatchObject({ kind: 'deliver', postId, eventType: 'post.failed' });
});
