import { describe, expect, it } from 'vitest';
import { createEmulator, type EmulatorOptions } from '../../../src/emulator/index.js';
import { snapshotText } from '../../../src/emulator/snapshots.js';
import { controlled } from '../adapters/control/control.js';

const url = 'https://emulator.test/v1/posts/';
const mistaken = { 'x-access-key': 'a-real-key', authorization: 'Bearer a-real-token', cookie: 'session=a-real-one' };

/** All that leaves the process of an emulator, while it is sent the headers. */
async function whatLeaves(options: EmulatorOptions, headers: Record<string, string>) {
  const { service, api, send } = controlled(createEmulator(options));
  const stream = await api.fetch(new Request('http://127.0.0.1:8787/_emulator/events'));
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  await service.fetch(url, { headers });
  let events = '';
  while (!events.includes('event: request')) events += (await reader?.read())?.value ?? '';
  api.close();
  const { body: requests } = await send('GET /requests');
  const { body: state } = await send('GET /state');
  const snapshot = service.snapshot();
  const all = [events, ...[requests, state, snapshot].map((value) => JSON.stringify(value)), snapshotText(snapshot)];
  return { service, all };
}

describe('a key that was sent to the emulator', () => {
  it.each<[string, EmulatorOptions]>([
    ['one that takes a key of its own', {}],
    ['one that takes several', { accessKey: ['one', 'two'] }],
    ['one that asks for none', { accessKey: null }],
  ])('is in no state, no list and no event of %s; a test may read it', async (_, options) => {
    const { service, all } = await whatLeaves(options, mistaken);
    for (const text of all) {
      expect(text).toContain('"x-access-key":"***"');
      expect(text).not.toContain('a-real');
    }
    expect(service.requests[0]?.headers).toMatchObject(mistaken);
    // A restored state does not contain it.
    const restored = createEmulator({ state: JSON.parse(JSON.stringify(service.snapshot())) as never });
    expect(restored.requests[0]?.headers['x-access-key']).toBe('***');
  });

  it('a state whose requests lost their headers is taken, and written again', () => {
    const service = createEmulator();
    const state = JSON.parse(JSON.stringify(service.snapshot())) as { requests: unknown[] };
    state.requests.push({
      order: 1,
      record: { id: 'request_1', method: 'GET', url, path: '/v1/posts/', query: {}, at: '2026-03-02T09:00:00.000Z' },
    });
    const again = createEmulator({ state: state as never });
    expect(JSON.stringify(again.snapshot())).toContain('request_1');
  });

  it("applies to the emulator's own keys too, because the command takes a real key from the environment", async () => {
    const { service, all } = await whatLeaves({ accessKey: ['real-one', 'real-two'] }, { 'x-access-key': 'real-two' });
    for (const text of all) expect(text).toContain('"x-access-key":"***"');
    expect(all.join('')).not.toContain('real-');
    expect(service.requests[0]?.headers).toMatchObject({ 'x-access-key': 'real-two' });
    // A snapshot shares its records with the emulator that restores it.
    const other = createEmulator({ accessKey: 'real-two', state: service.snapshot() });
    expect(JSON.stringify(other.snapshot())).not.toContain('real-');
  });
});
