import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliWorld, startCliWorld, type CliWorld } from '../support/cli.js';

const keys = ['the-access-key', 'sk-live-"key"/+=%&<0123456789>', 'k-9z'];

describe.each(keys)('the access key %j, which the service shows', (key) => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld({ accessKey: key });
    const shown = [key, JSON.stringify({ key }), encodeURIComponent(key)].join(' ');
    world.service.seed.post({ content: shown, status: 'draft', [key]: 'a field' });
    // The column of a table is cut in the middle of the key.
    for (let length = 28; length < 40; length += 1)
      world.service.seed.post({ content: 'x'.repeat(length) + key, status: 'draft' });
  });
  afterAll(() => world.close());

  it.each([
    ['a table', [], true],
    ['JSON', [], false],
    ['lines of JSON', ['--ndjson'], false],
  ])('is not in %s', async (_, options, tty) => {
    const env = { SOCIAL_PUBLISHING_ACCESS_KEY: key };
    const { code, out, err } = await world.run(['posts', 'list', ...options], { env, tty, columns: 200 });
    expect(code).toBe(0);
    for (const form of [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1), key.slice(0, 4)])
      expect(out + err).not.toContain(form);
    if (!tty && options.length === 0) expect(JSON.parse(out)).toHaveLength(13);
  });
});

describe('a short secret', () => {
  it('does not break JSON: only texts are hidden', async () => {
    const world = await cliWorld({ accessKey: 'true' });
    world.service.seed.post({ content: 'It is true.', status: 'draft' });
    const env = { SOCIAL_PUBLISHING_ACCESS_KEY: 'true' };
    const { out } = await world.run(['integrations', 'list', '--json'], { env });
    expect(() => JSON.parse(out) as unknown).not.toThrow();
    const posts = await world.run(['posts', 'list', '--json'], { env });
    expect(JSON.parse(posts.out)).toMatchObject([{ content: 'It is ***.' }]);
  });
});
