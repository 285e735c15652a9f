import { expect, describe, it } from 'vitest';
import { RedisStore } from '../../src/stores/redis.js';

describe('elsewhere, two apps on one Redis shared their jobs, because a driver ignored the prefix of its client', () => {
  it('here, such a client is refused before anything is stored, and the message says how to keep the data', () => {
    const client = { call: () => Promise.resolve(null), options: { keyPrefix: 'shop:' } };
    expect(() => new RedisStore(client)).toThrow(/keyPrefix "shop:".*prefix: "shop:social-publishing:"/);
  });
});
