import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ConfigurationError } from '../../src/index.js';
import { toJsonTools, type ToolsOptions } from '../../src/tools/index.js';
import { inMinutes, ToolWorld, toolWorld } from './world.js';

const postExtras = z.strictObject({
  mediaItems: z.array(z.strictObject({ url: z.url(), alt: z.optional(z.string()) })),
  timezone: z.optional(z.string()),
});

/** A schema that returns each value as it is. */
const acceptsAll: ToolsOptions['postExtras'] = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object' }) },
  },
};

const extra = { mediaItems: [{ url: 'https://example.com/a.jpg', alt: 'A cat' }] };

function bodyOf(world: ToolWorld) {
  return world.writes.at(-1)?.body as Record<string, unknown>;
}

describe('the field extra', () => {
  it('is sent beside the fields of the post, and is a part of its content', async () => {
    const { world, agent } = toolWorld({ mode: 'publish', postExtras });
    const post = { key: 'k', content: 'Hello', mode: 'publish', accountIds: [world.instagram] };
    expect(await agent('create_post', { ...post, extra })).toMatchObject({ status: 'ok' });
    expect(bodyOf(world)).toMatchObject({ content: 'Hello', publishNow: true, ...extra });
    expect(await agent('create_post', { ...post, extra })).toMatchObject({ data: { replayed: true } });
    expect(await agent('create_post', post)).toMatchObject({ status: 'rejected' });
    expect(await agent('create_post', { ...post, extra: { mediaItems: [] } })).toMatchObject({ status: 'rejected' });
    expect(world.writes).toHaveLength(1);
  });

  it('is in the preview, in its findings and in the question to the user', async () => {
    const world = new ToolWorld();
    const asked: string[] = [];
    const approve = ({ summary }: { summary: string }) => asked.push(summary) > 0;
    const agent = world.agent({ postExtras, approve });
    const post = { content: 'Hello', mode: 'publish', accountIds: [world.instagram] };
    const preview = await agent('preview_post', { ...post, extra });
    expect(preview).toMatchObject({ data: { request: { body: { content: 'Hello', ...extra } } } });
    expect(preview.data).not.toHaveProperty('findings');
    expect(await agent('preview_post', post)).toMatchObject({
      data: { findings: [{ code: 'media_missing' }] },
      next: 'Show findings to the user. Pass media in extra. To create the post, call create_post.',
    });
    await agent('create_post', { key: 'k', ...post, extra });
    expect(asked).toEqual([
      expect.stringContaining('With the fields "{"mediaItems":[{"url":"https://example.com/a.jpg"'),
    ]);
  });

  it('reads null and empty text inside it as an omitted field, if the field is optional', async () => {
    const world = new ToolWorld();
    const agent = world.agent({ postExtras });
    const url = 'https://example.com/a.jpg';
    for (const [index, none] of [null, ''].entries()) {
      const post = { key: String(index), content: `Hello ${String(index)}` };
      const empty = { mediaItems: [{ url, alt: none }], timezone: none };
      expect(await agent('create_post', { ...post, extra: empty })).toMatchObject({ status: 'ok' });
      expect(bodyOf(world)['mediaItems']).toEqual([{ url }]);
      expect(bodyOf(world)).not.toHaveProperty('timezone');
    }
    const invalid = await agent('create_post', { key: 'l', content: 'Hello', extra: { mediaItems: [{ url: null }] } });
    expect(invalid).toMatchObject({ status: 'invalid', data: { issues: [{ field: 'extra.mediaItems.0.url' }] } });
    expect(await agent('create_post', { key: 'm', content: 'Hello', extra: null })).toMatchObject({ status: 'ok' });
  });

  it('reads null as an omitted field in each alternative, and in what a schema refers to', async () => {
    const cat = z.strictObject({ cat: z.optional(z.string()) }).meta({ id: 'cat' });
    const dog = z.strictObject({ dog: z.optional(z.number()) });
    const pets = z.strictObject({ one: z.union([z.strictObject({ name: z.optional(z.string()) }), dog]), other: cat });
    const world = new ToolWorld();
    const empty = { one: { name: null }, other: { cat: null } };
    const result = await world.agent({ postExtras: pets })('create_post', { key: 'k', content: 'Hello', extra: empty });
    expect(result).toMatchObject({ status: 'ok' });
    expect(bodyOf(world)).toMatchObject({ one: {}, other: {} });
  });

  it.each(['platforms', 'publishNow', 'scheduledFor', 'content', 'saveAsDraft'])(
    'cannot contain %s, which would pass by the approval',
    async (name) => {
      const world = new ToolWorld();
      const open = z.looseObject({});
      const agent = world.agent({ postExtras: open });
      const result = await agent('create_post', { key: 'k', content: 'Hello', extra: { [name]: true } });
      expect(result).toMatchObject({ status: 'invalid', data: { issues: [{ field: `extra.${name}` }] } });
      expect(world.writes).toEqual([]);
      const closed = z.object({ [name]: z.string() });
      expect(() => world.tools({ postExtras: closed })).toThrow(ConfigurationError);
    },
  );

  it.each(['edit_post', 'create_post', 'preview_post'])(
    'must be an object in %s, whatever its key names',
    async (tool) => {
      const world = new ToolWorld();
      const agent = world.agent({ postExtras });
      const inputs: Record<string, string>[] = [{ key: 'k', content: 'Hello' }];
      if (tool === 'edit_post') inputs.push({ postId: 'post_1', content: 'Hello' });
      for (const input of inputs)
        for (const wrong of ['text', 5, [], true]) {
          const result = await agent(tool, { ...input, extra: wrong });
          expect(result).toMatchObject({ status: 'invalid', summary: 'extra must be an object. Nothing was sent.' });
          expect(result).toMatchObject({ data: { issues: [{ field: 'extra' }] } });
        }
      expect(world.service.requests).toEqual([]);
    },
  );

  it('has no field __proto__', async () => {
    const extra = JSON.parse('{"__proto__":{"platforms":[]},"note":"a"}') as object;
    const { data } = await new ToolWorld().agent({ postExtras: acceptsAll })('preview_post', {
      content: 'Hello',
      extra,
    });
    const { body } = data?.['request'] as { body: object };
    expect(Object.keys(body)).toEqual(['content', 'saveAsDraft', 'note']);
  });

  it('does not exist without the option', async () => {
    const world = new ToolWorld();
    const result = await world.agent()('create_post', { key: 'k', content: 'Hello', extra });
    expect(result).toMatchObject({ status: 'invalid', data: { issues: [{ field: 'extra' }] } });
  });

  it('is self-contained in the JSON Schema if its schema has an ID or a name', async () => {
    const named = postExtras.meta({ id: 'Extras' });
    const standard = named['~standard'];
    const input = () => ({
      $id: 'https://example.com/extras.json',
      type: 'object',
      properties: { mediaItems: { type: 'array', items: { $ref: '#/$defs/item' } } },
      $defs: { item: { type: 'object' } },
    });
    const { $defs, ...own } = input();
    const inputNamed = () => ({ $ref: '#/$defs/Extras', $defs: { ...$defs, Extras: { ...own, $defs: {} } } });
    const written = [input, inputNamed].map((form) => ({ '~standard': { ...standard, jsonSchema: { input: form } } }));
    for (const schema of [named, ...written]) {
      const world = new ToolWorld();
      const create = world.tools({ postExtras: schema }).find(({ name }) => name === 'create_post');
      const post = { key: 'k', content: 'Hello', extra };
      expect(new Ajv2020({ validateFormats: false }).compile(create?.jsonSchema ?? {})(post)).toBe(true);
      expect(await create?.execute(post)).toMatchObject({ status: 'ok' });
    }
  });

  it('is in the JSON Schemas for each API, with the schemas that it refers to', () => {
    const world = new ToolWorld();
    const tree = { type: 'object', properties: { item: { $ref: '#/$defs/item' } }, additionalProperties: false };
    const item = { type: 'object', properties: { url: { type: 'string' } }, additionalProperties: false };
    const input = () => ({ ...tree, $defs: { item } });
    const standard = {
      version: 1 as const,
      vendor: 'test',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input },
    };
    const tools = world.tools({ postExtras: { '~standard': standard } });
    const create = tools.find(({ name }) => name === 'create_post');
    const check = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(create?.jsonSchema ?? {});
    const post = { key: 'k', content: 'Hello' };
    expect(check({ ...post, extra: { item: { url: 'u' } } })).toBe(true);
    expect(check({ ...post, extra: { item: { url: 5 } } })).toBe(false);
    const strict = toJsonTools(tools, { for: 'openai-strict' }).find(({ name }) => name === 'create_post');
    expect(strict?.parameters).toMatchObject({
      properties: { extra: { type: ['object', 'null'], required: ['item'] } },
      $defs: { item: { required: ['url'] } },
    });
  });

  it('is refused if an API cannot express it, and if it is not the schema of an object', () => {
    const world = new ToolWorld();
    const open = z.looseObject({ url: z.string() });
    expect(() => toJsonTools(world.tools({ postExtras: open }), { for: 'openai-strict' })).toThrow(
      /cannot express the tool \w+: its field extra accepts fields of any name/,
    );
    const refused: unknown[] = [
      z.string(),
      {},
      { '~standard': { version: 1, vendor: 'x', validate: () => ({}) } },
      null,
    ];
    for (const schema of refused) {
      const options = { postExtras: schema } as ToolsOptions;
      expect(() => world.tools(options)).toThrow(ConfigurationError);
    }
    const dated = { postExtras: z.strictObject({ at: z.date() }) };
    expect(() => world.tools(dated)).toThrow('postExtras cannot be written as JSON Schema.');
  });
});

describe('preview_post', () => {
  it('shows the findings of a preflight, and says to fix errors first', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    const post = { content: 'Hello', mode: 'publish', accountIds: [world.facebook] };
    await agent('create_post', { key: 'first', ...post });
    const again = await agent('preview_post', post);
    expect(again).toMatchObject({
      status: 'ok',
      data: {
        findings: [
          { code: 'duplicate', severity: 'warning', accountId: world.facebook },
          { code: 'time_conflict', severity: 'warning' },
        ],
      },
      next: 'Show findings to the user. To create the post, call create_post.',
    });
    expect(again.summary).toMatch(/Errors: 0\. Warnings: 2\.$/);
    const late = { ...post, mode: 'schedule', scheduledFor: inMinutes(-60) };
    const past = await agent('preview_post', late);
    expect(past).toMatchObject({ next: 'Show findings to the user. Fix the errors, then call preview_post again.' });
    expect(past.data?.['findings']).toContainEqual(expect.objectContaining({ code: 'time_passed', severity: 'error' }));
  });
});
