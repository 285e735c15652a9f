import { describe, expect, expectTypeOf, it } from 'vitest';
import * as classic from 'zod';
import * as z from 'zod/mini';
import type { Post } from '../src/posts/posts.js';
import * as schemas from '../src/schemas.js';
import { endpointsByName } from './support/endpoints.js';

const { CreatePostBodySchema, IntegrationSchema, ListPostsResponseSchema, PostSchema, WebhookEventSchema } = schemas;

const endpoints = Object.entries(endpointsByName);

describe('the schemas entry', () => {
  it('knows all 21 operations, of which two share their schemas', () => {
    expect(endpoints).toHaveLength(21);
  });

  it.each(endpoints)('holds the schemas of %s', (_name, endpoint) => {
    const exported = new Set<unknown>(Object.values(schemas));
    const used = [endpoint.query?.(), endpoint.body?.(), endpoint.response()].filter((schema) => schema !== undefined);
    expect(used.filter((schema) => !exported.has(schema))).toEqual([]);
  });

  it('parses a reply and keeps unknown fields', () => {
    const reply = { success: true, total: 1, posts: [{ postId: 'p1', status: 'archived', someday: 1 }] };
    expect(z.parse(ListPostsResponseSchema, reply)).toEqual(reply);
    expect(z.safeParse(ListPostsResponseSchema, { posts: [{}] }).success).toBe(false);
  });

  it('refuses an unknown field in a request', () => {
    expect(z.safeParse(CreatePostBodySchema, { content: 'Hi', saveAsDraft: true }).success).toBe(true);
    expect(z.safeParse(CreatePostBodySchema, { content: 'Hi', saveAsDraft: true, timezone: 'UTC' }).success).toBe(
      false,
    );
  });

  it('parses the payload of an event', () => {
    const payload = { id: 'e1', type: 'post.published', data: { post: { id: 'p1' }, platforms: [] } };
    expect(z.parse(WebhookEventSchema, payload)).toEqual(payload);
    expect(z.safeParse(WebhookEventSchema, { ...payload, type: 'post.liked' }).success).toBe(false);
  });
});

describe("composing with a caller's own zod/mini", () => {
  it('extends a schema with custom fields', () => {
    const TaggedPost = z.extend(PostSchema, { tags: z.array(z.string()) });
    expectTypeOf<z.output<typeof TaggedPost>['tags']>().toEqualTypeOf<string[]>();
    expectTypeOf<z.output<typeof TaggedPost>['postId']>().toEqualTypeOf<string>();
    expect(z.parse(TaggedPost, { postId: 'p1', tags: ['a'] })).toEqual({ postId: 'p1', tags: ['a'] });
    expect(z.safeParse(TaggedPost, { postId: 'p1' }).success).toBe(false);
  });

  it('picks fields', () => {
    const Handle = z.pick(IntegrationSchema, { id: true, username: true });
    expectTypeOf<z.output<typeof Handle>>().toEqualTypeOf<{ id: string; username?: string | undefined }>();
    expect(z.safeParse(Handle, { id: 'i1', username: 7 }).success).toBe(false);
    expect(z.safeParse(Handle, { id: 'i1', displayName: 7 }).success).toBe(true);
  });

  it('makes arrays and objects of it', () => {
    const Board = z.object({ column: z.string(), posts: z.array(PostSchema) });
    expectTypeOf<z.output<typeof Board>['posts']>().toEqualTypeOf<Post[]>();
    expect(z.safeParse(Board, { column: 'done', posts: [{ postId: 'p1' }] }).success).toBe(true);
    expect(z.safeParse(Board, { column: 'done', posts: [{ postId: 1 }] }).success).toBe(false);
  });
});

describe("composing with a caller's own zod", () => {
  it('builds arrays and objects of it, and reports the path of an issue', () => {
    const Board = classic.object({ posts: classic.array(PostSchema) });
    expectTypeOf<classic.output<typeof Board>['posts']>().toEqualTypeOf<Post[]>();
    expect(Board.parse({ posts: [{ postId: 'p1' }] })).toEqual({ posts: [{ postId: 'p1' }] });
    expect(Board.safeParse({ posts: [{ postId: 1 }] }).error?.issues[0]?.path).toEqual(['posts', 0, 'postId']);
  });

  it('writes it as JSON Schema, with the known values of open enumerations as examples', () => {
    const json = classic.toJSONSchema(PostSchema);
    expect(json.type).toBe('object');
    expect(json.required).toEqual(['postId']);
    expect(json.properties?.['status']).toMatchObject({
      type: 'string',
      examples: expect.arrayContaining(['draft', 'partial']) as unknown,
    });
  });
});
