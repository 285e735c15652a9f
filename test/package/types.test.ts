import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { app, installed, run, write } from './support/app.js';
import { caller, mswCaller, strict } from './support/caller.js';

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

describe('fields of a create that a caller declares', () => {
  const source = `
    import { retryFailed, type Post, type SocialPublishing } from 'social-publishing';
    import type { Publisher } from 'social-publishing/publisher';
    declare module 'social-publishing' {
      interface CreatePostExtras {
        mediaItems?: { type: 'image'; url: string }[];
      }
    }
    declare const client: SocialPublishing;
    declare const publisher: Publisher;
    declare const post: Post;
    const body = { content: 'Hello', saveAsDraft: true } as const;
    const good = { mediaItems: [{ type: 'image' as const, url: 'https://example.com/a.png' }], other: 1 };
    void client.posts.create(body, { extraBody: good });
    void publisher.publish('key', body, { extraBody: good });
    client.posts.createMany([{ body, extraBody: good }]);
    const retry = retryFailed(post);
    if (retry) void client.posts.create(retry.body, { extraBody: retry.extraBody });
    // @ts-expect-error no such kind is declared
    void client.posts.create(body, { extraBody: { mediaItems: [{ type: 'film', url: 'x' }] } });
    // @ts-expect-error the same for the publisher
    void publisher.publish('key', body, { extraBody: { mediaItems: 'x' } });
  `;

  it.each(['mts', 'cts'])('type its extraBody, in %s', async (kind) => {
    const file = `extras.${kind}`;
    write(`types-extras/${file}`, source);
    const compilerOptions = { ...strict, module: 'NodeNext', moduleResolution: 'nodenext' };
    const config = write(`types-extras/tsconfig.${kind}.json`, JSON.stringify({ compilerOptions, files: [file] }));
    const { code, output } = await run(process.execPath, [join(app, 'node_modules/typescript/bin/tsc'), '-p', config]);
    expect(code, output).toBe(0);
  });
});

/** The value exports that an entry's types promise. */
function promised(file: string): string[] {
  const path = join(installed, 'dist', file);
  const program = ts.createProgram([path], {
    target: ts.ScriptTarget.ES2022,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    module: ts.ModuleKind.NodeNext,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is no module`);
  return checker
    .getExportsOfModule(module)
    .filter((symbol) => {
      // Follows an export of another file's name. A type export is not a value, whatever it refers to.
      const typeOnly = (symbol.declarations ?? []).some((declaration) => ts.isTypeOnlyExportDeclaration(declaration));
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return !typeOnly && (target.flags & ts.SymbolFlags.Value) !== 0;
    })
    .map((symbol) => symbol.name)
    .sort();
}

describe('the published types', () => {
  it.each([
    'index',
    'webhooks',
    'publisher',
    'otel',
    'query',
    'tools',
    'mcp',
    'stores/sqlite',
    'stores/postgres',
    'stores/redis',
    'stores/testing',
    'schemas',
    'emulator',
    'emulator/node',
    'emulator/msw',
  ])('promise what %s exports, and nothing else', async (entry) => {
    const actual = Object.keys(
      (await import(pathToFileURL(join(installed, `dist/${entry}.js`)).href)) as object,
    ).sort();
    expect(promised(`${entry}.d.ts`)).toEqual(actual);
    expect(promised(`${entry}.d.cts`)).toEqual(actual);
  });

  const declarations = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.d\.c?ts$/.test(file),
  );
  const read = (file: string) => readFileSync(join(installed, 'dist', file), 'utf8');

  it('name no type of ky', () => {
    expect(declarations.filter((file) => /from ['"]ky['"]|import\(['"]ky['"]\)/.test(read(file)))).toEqual([]);
  });

  it('name a type of zod only in the schemas entry', () => {
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
    declare const body: Parameters<typeof client.posts.create>[0];
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
