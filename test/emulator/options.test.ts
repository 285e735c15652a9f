import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.js';
import { createEmulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { raw, world } from './world.js';

describe('options that can not work are refused', () => {
  it.each([
    [{ accessKey: '' }, /accessKey must be/],
    [{ accessKey: [] }, /accessKey must be/],
    [{ accessKey: ['a', ''] }, /accessKey must be/],
    [{ accessKey: 5 }, /accessKey must be/],
    [{ deliver: 5 }, /deliver must be a function/],
    [{ now: 5 }, /now must be a function/],
    [{ seed: '7' }, /seed must be a number/],
    [{ deliveryTimeoutMs: -1 }, /deliveryTimeoutMs must be/],
    [{ retryDelayMs: Number.NaN }, /retryDelayMs must be/],
    [{ creditsPerTarget: '1' }, /creditsPerTarget must be/],
    [{ selectionNeedsKey: 'no' }, /selectionNeedsKey must be/],
    [{ acessKey: 'a' }, /'acessKey' is not an option of createEmulator; did you mean 'accessKey'/],
    [null, /options must be an object/],
    [{ keep: { request: 5 } }, /'keep.request' is not a field of createEmulator's keep; did you mean 'requests'/],
    [{ keep: { requests: 0 } }, /keep.requests must be a whole number, 1 or more/],
  ])('createEmulator(%j)', (options, message) => {
    expect(() => createEmulator(options as never)).toThrow(ConfigurationError);
    expect(() => createEmulator(options as never)).toThrow(message);
  });

  it('but omitted ones are not', () => {
    expect(createEmulator({ accessKey: undefined, deliver: undefined, seed: undefined }).posts).toEqual([]);
  });

  it.each([-1, 65_536, 80.5, Number.NaN, '80'])('serveEmulator with port %j', async (port) => {
    await expect(serveEmulator(createEmulator(), { port: port as never })).rejects.toBeInstanceOf(ConfigurationError);
  });

  it.each([5, null, '1h', [1]])('clock.advance(%j)', async (by) => {
    await expect(createEmulator().clock.advance(by as never)).rejects.toBeInstanceOf(ConfigurationError);
  });

  it.each([[undefined], [null], ['ok'], [{}]])('a deliver that returns %j: the delivery reports it', async (given) => {
    const { service, platforms } = world({ deliver: () => given as never });
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    await raw(service, 'POST /v1/posts/', { publishNow: true, platforms });
    await service.settled();
    expect(service.deliveries).toMatchObject([{ ok: false, error: 'createEmulator: deliver must return a Response.' }]);
  });
});
