import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { raw } from '../world.js';

describe('another spelling of a documented query parameter', () => {
  it.each(['platform[]=tiktok', 'platform%5B%5D=tiktok', 'platform[0]=tiktok', 'platforms=tiktok', 'Platform=tiktok'])(
    '%s is refused, because it would be ignored and return everything',
    async (query) => {
      const { status, body } = await raw(createEmulator({ accessKey: 'test-key' }), `GET /v1/posts/?${query}`);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain('is not a parameter: write platform, once for each value');
    },
  );

  it.each(['created_after=2026-01-01T00:00:00Z', 'created-after=x', 'LIMIT=1'])('%s is refused too', async (query) => {
    expect((await raw(createEmulator({ accessKey: 'test-key' }), `GET /v1/posts/?${query}`)).status).toBe(400);
  });

  it('a repeated parameter and an undocumented one are accepted', async () => {
    const route = 'GET /v1/posts/?platform=tiktok&platform=bluesky&timezone=UTC';
    expect((await raw(createEmulator({ accessKey: 'test-key' }), route)).status).toBe(200);
  });
});
