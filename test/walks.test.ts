import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SocialPublishing } from '../src/client.js';
import { createPublisher } from '../src/publisher/create-publisher.js';
import { MemoryDurableStore } from '../src/stores/memory.js';
import { executedFiles } from './support/executed-files.js';

/** For each heading of CONTRIBUTING.md: the call that its numbered list describes, and the maximum number of files. */
const walks: Readonly<Record<string, { prepare: () => () => Promise<unknown>; mostFiles: number }>> = {
  'Files behind `posts.create`': { prepare: createPost, mostFiles: 30 },
  'Files behind `publisher.publish`': { prepare: publish, mostFiles: 25 },
};

function createPost(): () => Promise<unknown> {
  const reply = { success: true, postId: 'post_1', status: 'draft', platforms: [] };
  const fetch = () => Promise.resolve(Response.json(reply));
  const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: 'test-key', fetch });
  return () => client.posts.create({ content: 'Hello', saveAsDraft: true });
}

/** The client replies at once: its files are listed under `posts.create`. */
function publish(): () => Promise<unknown> {
  let count = 0;
  const reply = () => ({ success: true, postId: `post_${String((count += 1))}`, status: 'draft', platforms: [] });
  const list = () => ({ pages: () => Promise.reject(new Error('No search is needed.')) as never });
  const client = { posts: { create: () => Promise.resolve(reply()), list } };
  const publisher = createPublisher({ client, store: new MemoryDurableStore() });
  return () => publisher.publish(`key-${String(count)}`, { content: 'Hello', saveAsDraft: true });
}

/** The files of the numbered list under a heading. */
function listedFiles(heading: string): string[] {
  const text = readFileSync('CONTRIBUTING.md', 'utf8');
  const section = text.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\d+\. `(src\/[^`]+)`: /gm)].map(([, file = '']) => file);
}

describe.each(Object.entries(walks))('CONTRIBUTING.md, %s', (heading, { prepare, mostFiles }) => {
  it('lists every file with a function that a warm call runs, and no other file', async () => {
    const call = prepare();
    await call();
    await call();
    expect(listedFiles(heading).sort()).toEqual(await executedFiles(call));
  });

  it(`lists at most ${String(mostFiles)} files`, () => {
    expect(listedFiles(heading).length).toBeLessThanOrEqual(mostFiles);
  });
});
