import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs, runsTimeoutMs } from '../support/property.js';
import { callEveryTool } from './every-tool.js';
import { ToolWorld, stringsIn } from './world.js';

/** Fields of replies that any text may fill. */
const textFields = new Set(['content', 'text', 'name', 'username', 'displayName', 'error', 'warning', 'url']);

/** Plants a text into a reply: after each text, in unknown fields, in their names, and in cursors. */
function planted(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.map((item) => planted(item, text));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    typeof inner === 'string' && textFields.has(name) ? inner + text : planted(inner, text),
  ]);
  return { ...Object.fromEntries(fields), echo: text, [text]: 1, ...('nextCursor' in value && { nextCursor: text }) };
}

/** A world whose service shows a text in every reply. */
function echoing(accessKey: string, text: string): ToolWorld {
  const world: ToolWorld = new ToolWorld({
    emulator: { accessKey },
    client: {
      accessKey,
      fetch: async (...args) => {
        const reply = await world.service.fetch(...args);
        const body = (await reply.json()) as unknown;
        return Response.json(planted(body, text), {
          status: reply.status,
          headers: { date: reply.headers.get('date') ?? '' },
        });
      },
    },
  });
  return world;
}

/** The forms of a key that a service can show. */
const forms: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => encodeURIComponent(key),
  (key) => JSON.stringify(key).slice(1, -1),
];

/** Whether a result shows the key, or its start. */
function shows(result: unknown, key: string): boolean {
  const parts = forms.flatMap((form) => [form(key), form(key).slice(0, 8)]);
  return stringsIn(names(result)).some(({ text }) => parts.some((part) => text.includes(part)));
}

/** The same with the names of fields as texts. */
function names(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(names);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([name, inner]) => [name, names(inner)]);
}

describe('an access key that the service shows', () => {
  const accessKey = fc.constantFrom('the-access-key-of-the-tests', 'sk-live-"key"/+=%&<0123456789>');

  it(
    'is in no result of any tool, even if a text is cut in the middle of it',
    async () => {
      await fc.assert(
        fc.asyncProperty(accessKey, fc.constantFrom(...forms), fc.nat(1_100), async (key, form, before) => {
          const results = await callEveryTool(echoing(key, 'x'.repeat(before) + form(key)));
          expect(Object.keys(results)).toHaveLength(19);
          for (const [name, result] of Object.entries(results))
            expect(shows(result, key), `${name}: ${JSON.stringify(result)}`).toBe(false);
        }),
        runs(10),
      );
    },
    runsTimeoutMs(500, 10),
  );

  it('is in no question to the user', async () => {
    const world = echoing('the-access-key-of-the-tests', 'the-access-key-of-the-tests');
    const asked: unknown[] = [];
    const approve = (request: unknown) => {
      asked.push(request);
      return false;
    };
    await world.agent({ approve })('create_post', {
      key: 'k',
      content: 'Hello',
      mode: 'publish',
      accountIds: [world.instagram],
    });
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked)).not.toContain('the-access-key-of-the-tests');
  });

  it('is hidden if a function returns it, and after it was replaced', async () => {
    const keys = ['the-first-key', 'the-second-key'];
    const world = new ToolWorld({ emulator: { accessKey: null }, client: { accessKey: () => keys.shift() ?? '' } });
    const agent = world.agent();
    await agent('list_posts');
    world.service.seed.post({ content: 'the-first-key and the-second-key', status: 'draft' });
    const { data } = await agent('list_posts');
    expect(data).toMatchObject({ posts: [{ content: '*** and ***' }] });
  });

  it('is hidden before the first request', async () => {
    const world = new ToolWorld();
    await world.agent()('create_post', { key: 'k', content: 'the-access-key-of-the-tests' });
    const restarted = new ToolWorld({ store: world.store });
    const result = await restarted.agent({ include: ['list_held_posts', 'get_post'] })('get_post', { key: 'k' });
    expect(JSON.stringify(result)).not.toContain('the-access-key-of-the-tests');
  });

  it('leaves other text as it is', async () => {
    const world = new ToolWorld();
    world.service.seed.post({ content: 'the-access-key-of', status: 'draft' });
    expect(await world.agent()('list_posts')).toMatchObject({ data: { posts: [{ content: 'the-access-key-of' }] } });
  });
});
