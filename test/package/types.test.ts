import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { app, installed, run, write } from './support/app.js';

/** A caller's code. A line under `@ts-expect-error` that compiles is an error too. */
const caller = `
import { SocialPublishing, ApiError, SocialPublishingError, isKnownPlatform, responseOf, targetResults } from 'social-publishing';
import type { CreatePostBody, KnownPlatform, Post, WebhookEvent } from 'social-publishing';
import { verifyWebhook, createWebhookReceiver, ConfigurationError } from 'social-publishing/webhooks';
import { PostSchema } from 'social-publishing/schemas';
import * as redis from 'social-publishing/webhooks/redis';
import { createEmulator } from 'social-publishing/emulator';
import { serveEmulator } from 'social-publishing/emulator/node';
import * as z from 'zod/mini';

export async function calls(client: SocialPublishing): Promise<void> {
  const body: CreatePostBody = { content: 'Hi', publishNow: true, platforms: [{ platform: 'bluesky', accountId: 'a' }] };
  const created = await client.posts.create(body);
  const id: string = created.postId;
  await client.posts.create({ content: 'Hi', scheduledFor: new Date() });
  await client.posts.create({ saveAsDraft: true });
  // @ts-expect-error a draft is not published at once
  await client.posts.create({ saveAsDraft: true, publishNow: true });
  // @ts-expect-error a create is a draft, published now, or scheduled
  await client.posts.create({ content: 'Hi' });
  // @ts-expect-error requests take documented platforms alone
  await client.posts.create({ publishNow: true, platforms: [{ platform: 'myspace', accountId: 'a' }] });
  // @ts-expect-error a misspelt field
  await client.posts.list({ state: 'draft' });
  for await (const post of client.posts.list({ status: 'draft', platform: ['bluesky'] })) {
    const title: string | undefined = post.content;
    // @ts-expect-error a listed post has no such field
    post.title;
    void title;
  }
  const posts: Post[] = await client.posts.list().toArray({ maxItems: 10 });
  targetResults(created).assertAllPublished();
  const reply = responseOf(created);
  if (reply) { const status: number = reply.status; void status; }
  const unknownReply: unknown = await client.request('GET /v1/posts/{postId}', { params: { postId: id } });
  const parsed: Post = await client.request('GET /v1/posts/{postId}', { params: { postId: id }, response: PostSchema });
  void [posts, unknownReply, parsed];
}

export function exhaustive(platform: string): string {
  if (!isKnownPlatform(platform)) return 'unknown';
  const names: Record<KnownPlatform, string> = {
    twitter: '', instagram: '', youtube: '', tiktok: '', pinterest: '', linkedin: '', bluesky: '', facebook: '', threads: '', googlebusiness: '',
  };
  return names[platform];
}

export async function events(request: Request): Promise<string> {
  const event: WebhookEvent = await verifyWebhook({ body: await request.arrayBuffer(), headers: request.headers, secret: 's' });
  if (!event.known) return typeof event.payload;
  switch (event.type) {
    case 'post.scheduled':
    case 'post.published':
    case 'post.partial':
    case 'post.failed':
      return event.data.post.id;
    default: {
      const never: never = event;
      return never;
    }
  }
}

export function errors(error: unknown): string {
  if (error instanceof ApiError) return String(error.status);
  if (error instanceof ConfigurationError) return error.message;
  return error instanceof SocialPublishingError ? error.outcome : '';
}

export const receiver = createWebhookReceiver({ secret: 's', on: { 'post.published': async (event) => { void event.data.platforms; } } });
export const Tagged = z.extend(PostSchema, { tags: z.array(z.string()) });
export type Tagged = z.output<typeof Tagged>;
export const tags = (post: Tagged): string[] => post.tags;
export const emulator = createEmulator({ accessKey: 'k' });
export const served = (): ReturnType<typeof serveEmulator> => serveEmulator(emulator, { port: 0 });
export { redis };
`;

/** Apart from the rest: the types of msw itself don't compile in CommonJS under node16, which can't require ES modules. */
const mswCaller = `
import { createEmulator } from 'social-publishing/emulator';
import { emulatorHandlers } from 'social-publishing/emulator/msw';
import { setupServer } from 'msw/node';
export const server = setupServer(...emulatorHandlers(createEmulator({ accessKey: 'k' })));
`;

const strict = {
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  // The compiler's own library is not in question.
  skipDefaultLibCheck: true,
  noEmit: true,
  types: ['node'],
};

describe('a strict project that checks its libraries too compiles', () => {
  it.each([
    ['bundler', 'ES2022', ['caller.mts', 'msw.mts']],
    ['node16', 'Node16', ['caller.mts', 'msw.mts', 'caller.cts']],
    ['nodenext', 'NodeNext', ['caller.mts', 'msw.mts', 'caller.cts', 'msw.cts']],
  ])('under moduleResolution %s and module %s: %j', async (moduleResolution, module, files) => {
    const folder = `types-${moduleResolution}`;
    for (const file of files) write(`${folder}/${file}`, file.startsWith('msw') ? mswCaller : caller);
    const config = write(
      `${folder}/tsconfig.json`,
      JSON.stringify({ compilerOptions: { ...strict, module, moduleResolution }, files }),
    );
    const { code, output } = await run(process.execPath, [join(app, 'node_modules/typescript/bin/tsc'), '-p', config]);
    expect(code, output).toBe(0);
  });
});

describe('the published types', () => {
  const declarations = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.d\.c?ts$/.test(file),
  );
  const read = (file: string) => readFileSync(join(installed, 'dist', file), 'utf8');

  it('name no type of ky', () => {
    expect(declarations.filter((file) => /from ['"]ky['"]|import\(['"]ky['"]\)/.test(read(file)))).toEqual([]);
  });

  it('name a type of zod in the schemas entry alone', () => {
    const naming = declarations.filter((file) => /from ['"]zod|import\(['"]zod/.test(read(file)));
    expect(naming.filter((file) => !file.startsWith('schemas.'))).toEqual([]);
    expect(naming).toContain('schemas.d.ts');
  });
});

/** The types of the variables of a piece of code, as an editor shows them. */
function variableTypes(code: string): Map<string, string> {
  const program = ts.createProgram([write('hovers/caller.mts', code)], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noUncheckedIndexedAccess: true,
    types: [],
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  });
  const checker = program.getTypeChecker();
  const types = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if ((ts.isVariableDeclaration(node) || ts.isBindingElement(node)) && ts.isIdentifier(node.name)) {
      types.set(node.name.text, checker.typeToString(checker.getTypeAtLocation(node.name)));
    }
    ts.forEachChild(node, visit);
  };
  for (const source of program.getSourceFiles()) if (source.fileName.endsWith('hovers/caller.mts')) visit(source);
  return types;
}

describe('an editor shows', () => {
  const types = variableTypes(`
    import { SocialPublishing } from 'social-publishing';
    declare const client: SocialPublishing;
    const created = await client.posts.create({ saveAsDraft: true });
    const page = await client.posts.list();
    const [post] = page.items;
    const detail = await client.integrations.get('a');
    const insights = await client.analytics.getInstagramInsights({ accountId: 'a' });
    const automations = await client.automations.list();
    type Body = Parameters<typeof client.posts.create>[0];
    declare const body: Body;
  `);

  it.each([
    ['created', 'CreatePostResponse'],
    ['page', 'Page<Post, ListPostsResponse>'],
    ['post', 'Post | undefined'],
    ['detail', 'IntegrationDetail'],
    ['insights', 'InstagramInsights'],
    ['automations', 'Automation[]'],
    ['body', 'CreatePostBody'],
  ])('%s by the name of its type: %s', (name, expected) => {
    expect(types.get(name)).toBe(expected);
  });
});
