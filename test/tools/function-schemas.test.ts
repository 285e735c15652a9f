import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/index.js';
import { toJsonTools, type JsonTool, type JsonToolsTarget, type Tool } from '../../src/tools/index.js';
import { ToolWorld } from './world.js';

type Node = Readonly<Record<string, unknown>>;

/** A schema and all schemas inside it, except `not` and similar keywords, which no API allows. */
function nodesOf(schema: Node): Node[] {
  const { properties = {}, items, anyOf = [] } = schema;
  const inner = [
    ...(Object.values(properties as object) as Node[]),
    ...(anyOf as Node[]),
    ...(items === undefined ? [] : [items as Node]),
  ];
  return [schema, ...inner.flatMap((node) => nodesOf(node))];
}

const onlyKeywords = (...keywords: string[]) => {
  const allowed = new Set(keywords);
  return (node: Node) => Object.keys(node).every((name) => allowed.has(name));
};
const isObject = ({ type }: Node) => type === 'object' || (Array.isArray(type) && type.includes('object'));
const names = (node: Node) => Object.keys(node['properties'] ?? {});
const depthOf = (node: Node): number =>
  1 +
  Math.max(
    0,
    ...nodesOf(node)
      .slice(1)
      .map((inner) => (inner === node ? 0 : depthOf(inner))),
  );

interface Rule {
  /** As the vendor documents it, or as its API answers. */
  readonly rule: string;
  /** For every schema inside the parameters. */
  readonly everywhere?: (node: Node) => boolean;
  readonly tool?: (tool: JsonTool) => boolean;
}

const shortName: Rule = {
  rule: 'a name of 1 to 64 letters, digits, _ and -',
  tool: ({ name }) => /^[\w-]{1,64}$/.test(name),
};
const plainRoot: Rule = {
  rule: 'the root is an object, without anyOf, oneOf, allOf, enum and not',
  tool: ({ parameters }) =>
    (parameters['type'] as unknown) === 'object' &&
    ['anyOf', 'oneOf', 'allOf', 'enum', 'not'].every((name) => !(name in parameters)),
};
const shortDescription: Rule = {
  rule: 'a description of at most 1,024 characters',
  tool: ({ description }) => description.length <= 1_024,
};

const ajv = new Ajv2020();

/** developers.openai.com: function calling, structured outputs. docs.claude.com: tool use. ai.google.dev: api/caching#Schema. */
const rules: Readonly<Record<JsonToolsTarget, readonly Rule[]>> = {
  openai: [
    shortName,
    plainRoot,
    shortDescription,
    { rule: 'strict: false, because the Responses API is strict by default', tool: ({ strict }) => strict === false },
  ],
  'openai-strict': [
    shortName,
    plainRoot,
    shortDescription,
    { rule: 'strict: true', tool: ({ strict }) => strict === true },
    {
      rule: 'additionalProperties: false in every object',
      everywhere: (node) => !isObject(node) || node['additionalProperties'] === false,
    },
    {
      rule: 'every field is required',
      everywhere: (node) => !isObject(node) || JSON.stringify(node['required']) === JSON.stringify(names(node)),
    },
    {
      rule: 'only supported keywords, also of fine-tuned models: no minLength, pattern, format, minimum, minItems',
      everywhere: onlyKeywords(
        ...['type', 'description', 'enum', 'const', 'anyOf', 'properties', 'required', 'additionalProperties', 'items'],
      ),
    },
    {
      rule: 'every schema has a type or anyOf',
      everywhere: (node) => node['type'] !== undefined || node['anyOf'] !== undefined,
    },
    {
      rule: 'at most 5 levels and 100 fields',
      tool: ({ parameters }) => depthOf(parameters) <= 5 && names(parameters).length <= 100,
    },
  ],
  anthropic: [
    shortName,
    plainRoot,
    {
      rule: 'valid JSON Schema, draft 2020-12',
      tool: ({ parameters }) => ajv.validateSchema(parameters) === true,
    },
    { rule: 'no strict', tool: (tool) => !('strict' in tool) },
  ],
  gemini: [
    {
      ...shortName,
      rule: 'a name that starts with a letter or _',
      tool: ({ name }) => /^[A-Za-z_][\w.-]{0,63}$/.test(name),
    },
    plainRoot,
    {
      rule: 'only fields of Schema: no $schema, additionalProperties, const, oneOf, exclusiveMinimum',
      everywhere: onlyKeywords(
        ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'maxItems', 'minItems', 'properties'],
        ...['required', 'minProperties', 'maxProperties', 'minLength', 'maxLength', 'pattern', 'example', 'anyOf'],
        ...['propertyOrdering', 'default', 'items', 'minimum', 'maximum'],
      ),
    },
    {
      rule: 'type is one of the six types, and only missing beside anyOf',
      everywhere: ({ type, anyOf }) =>
        anyOf === undefined
          ? ['string', 'number', 'integer', 'boolean', 'array', 'object'].includes(type as string)
          : type === undefined,
    },
    { rule: 'anyOf is the only field', everywhere: (node) => !('anyOf' in node) || Object.keys(node).length === 1 },
    {
      rule: 'enum only for strings, with strings',
      everywhere: ({ type, enum: values }) =>
        values === undefined ||
        (type === 'string' && (values as unknown[]).every((value) => typeof value === 'string')),
    },
    {
      rule: 'of a string, only the formats enum and date-time',
      everywhere: ({ type, format }) =>
        type !== 'string' || [undefined, 'enum', 'date-time'].includes(format as string),
    },
    { rule: 'an array has items', everywhere: ({ type, items }) => type !== 'array' || items !== undefined },
    { rule: 'an object has properties', everywhere: (node) => !isObject(node) || names(node).length > 0 },
    {
      rule: 'required fields exist',
      everywhere: (node) => ((node['required'] ?? []) as string[]).every((name) => names(node).includes(name)),
    },
    { rule: 'no strict', tool: (tool) => !('strict' in tool) },
  ],
};

const tools = new ToolWorld().tools({ maxCredits: 10 });

/** A tool with this schema. */
function toolWith(jsonSchema: Node): Tool {
  const [tool] = tools;
  if (tool === undefined) throw new Error('There are no tools.');
  return { ...tool, jsonSchema: { ...jsonSchema, type: 'object' } };
}

describe.each(Object.entries(rules) as [JsonToolsTarget, readonly Rule[]][])(
  'the tools for %s',
  (target, targetRules) => {
    it.each(targetRules)('keep the rule: $rule', ({ everywhere, tool: holds }) => {
      const written = toJsonTools(tools, { for: target });
      expect(written).toHaveLength(19);
      for (const tool of written) {
        if (holds !== undefined) expect(holds(tool), tool.name).toBe(true);
        if (everywhere === undefined) continue;
        for (const node of nodesOf(tool.parameters)) expect(everywhere(node), JSON.stringify(node)).toBe(true);
      }
    });

    it('keep the names, and the description of every field', () => {
      for (const [index, { name, parameters }] of toJsonTools(tools, { for: target }).entries()) {
        const { jsonSchema } = tools[index] as Tool;
        expect(name).toBe(tools[index]?.name);
        expect(names(parameters)).toEqual(names(jsonSchema));
        for (const [field, node] of Object.entries(parameters['properties'] as Record<string, Node>)) {
          const { description } = (jsonSchema['properties'] as Record<string, Node>)[field] ?? {};
          expect([node, ...((node['anyOf'] ?? []) as Node[])].map((one) => one['description'])).toContain(description);
        }
      }
    });
  },
);

describe('the tools for openai-strict', () => {
  it('accept an input with null in place of each optional field', () => {
    const written = toJsonTools(tools, { for: 'openai-strict' });
    const listPosts = written.find(({ name }) => name === 'list_posts');
    const input = Object.fromEntries(names(listPosts?.parameters ?? {}).map((name) => [name, null]));
    expect(new Ajv2020({ allowUnionTypes: true }).validate(listPosts?.parameters ?? {}, input)).toBe(true);
    const tool = tools.find(({ name }) => name === 'list_posts');
    expect(tool?.inputSchema['~standard'].validate(input)).toEqual({ value: {} });
  });

  it.each<[string, Node]>([
    ['accepts fields of any name', { type: 'object', additionalProperties: { type: 'string' } }],
    ['accepts fields of any name', { type: 'object' }],
    ['accepts any value', {}],
    ['has allOf', { allOf: [{ type: 'string' }] }],
    ['has prefixItems', { type: 'array', prefixItems: [{ type: 'string' }] }],
  ])('refuse a field that %s: %j', (problem, extra) => {
    const tool = toolWith({ properties: { extra } });
    const write = () => toJsonTools([tool], { for: 'openai-strict' });
    expect(write).toThrow(ConfigurationError);
    expect(write).toThrow(
      `'openai-strict' cannot express the tool list_accounts: its field extra ${problem}. Exclude the tool`,
    );
  });

  it('make nested optional fields, constants and references nullable', () => {
    const properties = {
      inner: { type: 'object', properties: { day: { type: 'string', format: 'date' } } },
      only: { type: 'string', const: 'any' },
      either: { oneOf: [{ type: 'string', minLength: 1 }, { type: 'integer' }] },
    };
    const [tool] = toJsonTools([toolWith({ properties })], { for: 'openai-strict' });
    expect(tool?.parameters['properties']).toEqual({
      inner: {
        type: ['object', 'null'],
        properties: { day: { type: ['string', 'null'] } },
        required: ['day'],
        additionalProperties: false,
      },
      only: { type: ['string', 'null'], enum: ['any', null] },
      either: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
    });
  });

  it('have no other keyword beside a reference, which OpenAI refuses', () => {
    const image = { $ref: '#/$defs/image', description: 'An image.' };
    const schema = {
      properties: { cover: image, more: { type: 'array', items: image } },
      required: ['cover'],
      $defs: { image: { type: 'string' } },
    };
    const [tool] = toJsonTools([toolWith(schema)], { for: 'openai-strict' });
    expect(tool?.parameters['properties']).toEqual({
      cover: { description: 'An image.', anyOf: [{ $ref: '#/$defs/image' }] },
      more: {
        type: ['array', 'null'],
        items: { description: 'An image.', anyOf: [{ $ref: '#/$defs/image' }] },
      },
    });
  });
});

describe('the tools for gemini', () => {
  it('write null, constants and alternatives as Gemini does', () => {
    const properties = {
      maybe: { type: ['string', 'null'], format: 'uri', description: 'A link.' },
      only: { const: 'any', type: 'string' },
      either: {
        description: 'One or more.',
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      },
      none: { anyOf: [{ type: 'integer', exclusiveMinimum: 0 }, { type: 'null' }] },
    };
    const [tool] = toJsonTools([toolWith({ properties })], { for: 'gemini' });
    expect(tool?.parameters['properties']).toEqual({
      maybe: { type: 'string', nullable: true, description: 'A link.' },
      only: { type: 'string', enum: ['any'] },
      either: {
        anyOf: [
          { type: 'string', description: 'One or more.' },
          { type: 'array', items: { type: 'string' }, description: 'One or more.' },
        ],
      },
      none: { type: 'integer', nullable: true },
    });
  });
});

it('a tool whose field has no type is refused for gemini, and bounds of a text are kept', () => {
  const any = toolWith({ properties: { any: { description: 'Any value.' } } });
  expect(() => toJsonTools([any], { for: 'gemini' })).toThrow('has no type');
  const text = { type: 'string', minLength: 2, maxLength: 9, pattern: '^a', description: 'A text.' };
  const [tool] = toJsonTools([toolWith({ properties: { text } })], { for: 'gemini' });
  expect(tool?.parameters['properties']).toEqual({ text });
});

describe('the tools for gemini, which refuses empty parts', () => {
  it('leave out an empty value of an enum', () => {
    const tool = toolWith({ properties: { mood: { type: 'string', enum: ['', 'happy'] } } });
    const [written] = toJsonTools([tool], { for: 'gemini' });
    expect(written?.parameters['properties']).toEqual({ mood: { type: 'string', enum: ['happy'] } });
    const [none] = toJsonTools([toolWith({ properties: { mood: { type: 'string', const: '' } } })], { for: 'gemini' });
    expect(none?.parameters['properties']).toEqual({ mood: { type: 'string' } });
  });

  it.each<Node>([
    { type: 'object' },
    { type: 'object', properties: {} },
    { type: 'object', additionalProperties: { type: 'string' } },
  ])('refuse an object that names no field: %j', (extra) => {
    const tool = toolWith({ properties: { extra } });
    expect(() => toJsonTools([tool], { for: 'gemini' })).toThrow('its field extra names no field');
  });
});

describe('toJsonTools', () => {
  it('refuses an unknown API', () => {
    expect(() => toJsonTools(tools, { for: 'openai_strict' as 'openai' })).toThrow(/for must be 'openai'/);
  });
});
