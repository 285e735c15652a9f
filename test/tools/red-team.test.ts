import { beforeAll, describe, expect, it } from 'vitest';
import { everyResult, harmless, injections, withoutUntrusted, worldOf } from './injections.js';
import { stringsIn } from './world.js';

let harmlessResults: readonly unknown[];

beforeAll(async () => {
  harmlessResults = withoutUntrusted(await everyResult(worldOf(harmless)));
});

describe('text of strangers', () => {
  it('has 30 injections', () => {
    expect(new Set(injections).size).toBe(30);
  });

  it.each(injections)('is only in untrustedText, and changes nothing: %j', async (injection) => {
    const results = await everyResult(worldOf(injection));
    const places = stringsIn(results).filter(({ text }) => text.includes(injection));
    expect(places.length).toBeGreaterThan(8);
    for (const { path } of places) expect(path).toContain('untrustedText');
    // The same calls with harmless text have the same results, except for the text itself.
    expect(withoutUntrusted(results)).toEqual(harmlessResults);
  });

  it('does not reach a question for approval', async () => {
    const { world, named } = worldOf(injections[0] ?? '');
    const asked: string[] = [];
    const approve = ({ summary }: { summary: string }) => {
      asked.push(summary);
      return false;
    };
    const input = { key: 'k', content: 'Hello', mode: 'publish', accountIds: [named.id] };
    await world.agent({ approve })('create_post', input);
    expect(asked).toEqual([`Publish a post now to ${named.id} (threads): "Hello".`]);
  });
});
