import * as zod from 'zod';
import { afterEach, describe, expect, it } from 'vitest';
import { SocialPublishing } from '../../src/index.js';
import { createEmulator } from '../../src/emulator/index.js';

const before = { customError: undefined, localeError: undefined, ...zod.config() };

afterEach(() => {
  zod.config(before);
});

// zod keeps one configuration for all its copies in a process.
describe.each([
  ['makes a schema, which registers the English locale', () => zod.string()],
  ['sets a locale', () => zod.config(zod.locales.de())],
  ['sets messages', () => zod.config({ customError: () => 'Nope' })],
])('in an application that %s', (_, configure) => {
  it('the client refuses a misspelt argument, in its own words', async () => {
    configure();
    const service = createEmulator();
    const client = new SocialPublishing({
      baseUrl: 'https://api.example.com',
      accessKey: 'test-key',
      fetch: service.fetch,
    });
    // @ts-expect-error a misspelt filter
    await expect(client.posts.list({ stauts: 'scheduled' })).rejects.toThrow(
      "GET /v1/posts/ was not sent: stauts is not a documented field; did you mean 'status'? If not, send it through extraQuery",
    );
    expect(service.requests).toEqual([]);
  });

  it('the emulator refuses a misspelt seed, in its own words', () => {
    configure();
    // @ts-expect-error a misspelt field
    expect(() => createEmulator().seed.integration({ usrname: 'acme' })).toThrow("did you mean 'username'?");
  });
});
