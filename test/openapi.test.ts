import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { operations } from '../scripts/openapi/operations.js';

const read = (path: string) =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<string, unknown>;
const shipped = read('../openapi.json') as unknown as Shipped;

interface Shipped {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, ShippedOperation>>;
  readonly webhooks: Record<string, { readonly post: ShippedOperation }>;
  readonly components: { readonly schemas: Record<string, ShippedSchema> };
}

interface ShippedOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly responses: Readonly<Record<string, { readonly 'x-undocumented'?: string; readonly content?: Content }>>;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: unknown;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly security?: unknown;
  readonly deprecated?: boolean;
  readonly 'x-credits'?: number;
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
  readonly 'x-undocumented'?: string;
}

interface Content {
  readonly 'application/json': { readonly schema: object; readonly example?: unknown };
}

interface ShippedSchema {
  readonly properties?: Record<string, { readonly description?: string }>;
  readonly additionalProperties?: unknown;
  readonly 'x-undocumented'?: string;
}

describe('openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(structuredClone(shipped) as unknown as Record<string, unknown>);
    expect(result.valid, JSON.stringify(result.errors)).toBe(true);
    expect(shipped.openapi).toMatch(/^3\.1\./);
  });

  it('is refused by that validator where it is broken', async () => {
    const broken = { ...structuredClone(shipped), paths: { 'no-slash': {} } };
    expect((await new Validator().validate(broken as unknown as Record<string, unknown>)).valid).toBe(false);
  });

  it('has every operation under its exact path, and two of them under one', () => {
    const written = Object.entries(shipped.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations).toHaveLength(21);
    expect(written.sort()).toEqual([...new Set(operations.map(({ endpoint }) => endpoint.route as string))].sort());
    expect(written).toHaveLength(20);
  });

  it('contains required fields and limits', () => {
    const parameters = shipped.paths['/v1/comments/']?.['get']?.parameters ?? [];
    expect(parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual([
      'platform',
      'accountId',
      'postId',
    ]);
    expect(parameters.find(({ name }) => name === 'limit')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 25,
    });
    const token = shipped.paths['/v1/connect/instagram/selection/{token}']?.['post']?.parameters?.[0];
    expect(token).toMatchObject({
      name: 'token',
      in: 'path',
      required: true,
      schema: { minLength: 20, maxLength: 100 },
    });
  });

  it('requires neither side of the query that distinguishes two operations', () => {
    const parameters = shipped.paths['/v1/analytics/']?.['get']?.parameters ?? [];
    expect(parameters.filter(({ required }) => required)).toEqual([]);
    expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(['postId', 'page']));
  });

  it('marks operations that cost a credit and deprecated ones', () => {
    expect(shipped.paths['/v1/analytics/instagram/account-insights']?.['get']?.['x-credits']).toBe(1);
    expect(shipped.paths['/v1/posts/']?.['get']?.['x-credits']).toBeUndefined();
    expect(shipped.paths['/v1/posts/scheduled/{postId}']?.['put']?.deprecated).toBe(true);
  });

  it('leaves undocumented parts open, and marks them', () => {
    const { schemas } = shipped.components;
    expect(schemas['CreatePostBody']).toMatchObject({ 'x-undocumented': 'Further fields are not shown.' });
    expect(Object.entries(schemas).filter(([, schema]) => schema.additionalProperties === false)).toEqual([]);
    expect(shipped.paths['/v1/connect/facebook/selection/{token}']?.['post']).toMatchObject({
      security: [{ accessKey: [] }, {}],
      'x-undocumented': 'Whether the access key is required is not shown.',
    });
  });

  it('has operation IDs that are identifiers in any language, each once', () => {
    const ids = Object.values(shipped.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(ids).toEqual(expect.arrayContaining(['createPost', 'listPosts', 'updateScheduledPost', 'sendMessage']));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  });

  it('says nothing that only callers of the package can do', () => {
    const texts: string[] = [];
    JSON.stringify(shipped, (key, value: unknown) => {
      if ((key === 'description' || key === 'summary') && typeof value === 'string') texts.push(value);
      return value;
    });
    expect(texts.length).toBeGreaterThan(100);
    const foreign = /`Date`|extraBody|extraQuery|targetResults|undefined|`[a-z]+\.[a-z]+[A-Za-z]*`/;
    expect(texts.filter((text) => foreign.test(text))).toEqual([]);
    expect(shipped.components.schemas['CreatePostBody']?.properties?.['scheduledFor']?.description).toContain(
      'ISO 8601',
    );
  });

  it('has no null in a query: it is the text `null`', () => {
    const parameters = shipped.paths['/v1/posts/']?.['get']?.parameters ?? [];
    expect(parameters.find(({ name }) => name === 'profileId')?.schema).toEqual({ type: 'string', minLength: 1 });
    const schemas = Object.values(shipped.paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => (operation.parameters ?? []).map(({ schema }) => schema)),
    );
    expect(schemas.filter((schema) => JSON.stringify(schema).includes('"null"'))).toEqual([]);
  });

  it('closes no object and no value of a body that the API document leaves open', () => {
    const closed: string[] = [];
    for (const [name, schema] of Object.entries(shipped.components.schemas)) {
      if (JSON.stringify(schema).includes('"additionalProperties":false')) closed.push(name);
    }
    expect(closed).toEqual([]);
    expect(shipped.components.schemas['CreatePostBody']).toMatchObject({
      additionalProperties: true,
      properties: { platforms: { items: { additionalProperties: true } } },
    });
    const { properties } = shipped.components.schemas['CreateAutomationBody'] ?? {};
    expect(properties?.['postScope']).toMatchObject({ type: 'string', examples: ['any'] });
    expect(properties?.['postScope']).not.toHaveProperty('enum');
  });

  it('carries the docs of the public types', () => {
    expect(shipped.components.schemas['Post']?.properties?.['postId']?.description).toBe("The post's ID.");
  });

  it('has what generators expect: error replies of both classes, and a summary of each webhook', () => {
    for (const methods of Object.values(shipped.paths)) {
      for (const { responses } of Object.values(methods)) {
        expect(Object.keys(responses).sort()).toEqual(['2XX', '4XX', '5XX', 'default']);
        expect(responses['4XX']?.['x-undocumented']).toContain('neither their statuses');
      }
    }
    const ofWebhooks = Object.values(shipped.webhooks).map(({ post }) => post);
    expect(ofWebhooks.map(({ operationId }) => operationId)).toContain('onPostScheduled');
    expect(ofWebhooks.filter(({ summary }) => !/^[A-Z].+\.$/.test(summary ?? ''))).toEqual([]);
  });

  it('has an example of each request and reply, which fits its schema, and code that calls the operation', () => {
    const ajv = ajvFormats.default(new Ajv2020({ strict: false }));
    const misfits: string[] = [];
    let examples = 0;
    for (const methods of Object.values(shipped.paths)) {
      for (const { operationId, requestBody, responses, 'x-codeSamples': codes } of Object.values(methods)) {
        for (const content of [requestBody?.content, responses['2XX']?.content]) {
          if (content === undefined) continue;
          const { schema, example } = content['application/json'];
          examples += 1;
          // References lead to the components of the whole document.
          if (!ajv.validate({ ...schema, components: shipped.components }, example))
            misfits.push(`${operationId}: ${ajv.errorsText()}`);
        }
        expect(codes.every(({ label, source }) => source.includes(`client.${label}(`))).toBe(true);
      }
    }
    expect(misfits).toEqual([]);
    expect(examples).toBe(20 + 9);
    expect(JSON.stringify(shipped)).not.toMatch(/whsec_/);
  });

  it('has the four events', () => {
    expect(Object.keys(shipped.webhooks)).toEqual(['post.scheduled', 'post.published', 'post.partial', 'post.failed']);
  });
});
