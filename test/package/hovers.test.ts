import ts from 'typescript';
import { expect, it } from 'vitest';
import { write } from './support/app.js';

// Each `¦` stands before a name that an editor is asked about, on the published types. The rows below are in its order.
const program = `
import { SocialPublishing, targetResults, outcomeOf } from 'social-publishing';
import type { Intent, Publisher } from 'social-publishing/publisher';
declare const publisher: Publisher;
declare const form: { publishNow: boolean; scheduledFor?: Date };
const client = new ¦SocialPublishing({ ¦baseUrl: 'https://api.example.com', ¦accessKey: 'key' });
const created = await client.¦posts.¦create(
  { ¦content: 'Hi', ¦publishNow: true, ¦platforms: [{ ¦platform: 'bluesky', ¦accountId: 'a' }] },
  { ¦extraBody: {} },
);
await client.posts.¦create({ ¦scheduledFor: new Date(), ¦platforms: [{ ¦platform: 'bluesky', accountId: 'a' }] });
await client.posts.create({ ¦saveAsDraft: true });
await client.posts.¦create({ ¦publishNow: form.publishNow, ¦scheduledFor: form.scheduledFor });
for await (const { status } of client.posts.¦createMany([{ ¦content: 'Hi', ¦saveAsDraft: true }])) status;
client.posts.createMany([{ ¦body: { ¦content: 'Hi', saveAsDraft: true }, ¦extraBody: {} }]);
const intent = await publisher.¦publish('key', { ¦content: 'Hi', ¦publishNow: true, ¦platforms: [{ platform: 'bluesky', ¦accountId: 'a' }] });
await publisher.¦enqueue('key', { ¦content: 'Hi', ¦saveAsDraft: true });
publisher.¦publishMany([{ ¦key: 'a', ¦body: { ¦content: 'Hi', ¦saveAsDraft: true } }]);
intent.¦state;
intent.¦postId;
created.¦platforms;
¦targetResults(created).¦failed;
¦outcomeOf(new Error());
for await (const post of client.posts.¦list({ ¦status: 'draft' })) post.¦rawRequestBody;
`;

/** The start of each text. */
const texts = [
  'Creates a client.',
  'The address of the service.',
  'The access key, or a function',
  'Posts: create, list, edit',
  'Creates a post: a draft, a post to publish now, or a post to publish at a set time.',
  'The text.',
  '`true` publishes the post immediately.',
  'The targets. A post to publish or schedule needs at least one',
  'The platform of the integration.',
  "The integration's ID",
  'Body fields that the API document mentions without showing',
  'Creates a post: a draft, a post to publish now, or a post to publish at a set time.',
  'When to publish: an ISO 8601 date-time string with its offset',
  'The targets. A post to publish or schedule needs at least one',
  'The platform of the integration.',
  '`true` saves the post as a draft',
  'Creates a post: a draft, a post to publish now, or a post to publish at a set time.',
  '`true` publishes the post immediately.',
  'When to publish: an ISO 8601 date-time string with its offset',
  'Creates many posts, several at once',
  'The text.',
  '`true` saves the post as a draft',
  'The post.',
  'The text.',
  'Other fields of the body',
  'Publishes a post under a key, once.',
  'The text.',
  '`true` publishes the post immediately.',
  'The targets. A post to publish or schedule needs at least one',
  "The integration's ID",
  'Writes an intent without sending it.',
  'The text.',
  '`true` saves the post as a draft',
  'Publishes many intents, a few at a time',
  "The intent's key",
  'The post.',
  'The text.',
  '`true` saves the post as a draft',
  'The state.\n\n- `ready`: nothing was sent',
  'The ID of its post.',
  'One entry for each target.',
  'Returns',
  'Targets that',
  'Returns',
  'Lists the posts of the project',
  'Only posts in this status.',
  'The request that the post was created with',
];

it('an editor shows the text of each method, option and field, also inside a body', () => {
  const pieces = program.split('¦');
  const file = write('hovers/editor.mts', pieces.join(''));
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    types: [],
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  };
  const editor = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: (path) => ts.sys.readFile(path),
    directoryExists: (path) => ts.sys.directoryExists(path),
  });
  let position = 0;
  const shown = pieces.slice(0, -1).map((piece, index) => {
    position += piece.length;
    const { documentation } = editor.getQuickInfoAtPosition(file, position) ?? {};
    return ts.displayPartsToString(documentation).slice(0, texts[index]?.length ?? 60);
  });
  expect(shown).toEqual(texts);
  expect(shown.length).toBeGreaterThan(40);
  expect(editor.getSemanticDiagnostics(file).map(({ messageText }) => messageText)).toEqual([]);
});
