import { expect, it } from 'vitest';
import { factsOf } from '../../src/core/call/transport.js';
import { standardIssues } from '../../src/core/standard-schema.js';
import { SocialPublishing } from '../../src/index.js';

it('a client shows its key before the first call, and each key that a function returned', async () => {
  const baseUrl = 'https://service.test';
  const fetch = () => Promise.resolve(Response.json({ success: true, total: 0, posts: [] }));
  expect(factsOf(new SocialPublishing({ baseUrl, fetch, accessKey: 'the-key' })).accessKeys()).toEqual(['the-key']);
  const keys = ['one', 'two'];
  const client = new SocialPublishing({ baseUrl, fetch, accessKey: () => keys.shift() ?? '' });
  expect(factsOf(client).accessKeys()).toEqual([]);
  await client.posts.list();
  await client.posts.list();
  expect(factsOf(client).accessKeys()).toEqual(['one', 'two']);
  expect(factsOf({}).accessKeys()).toEqual([]);
});

it('the path of an issue of another library is one of texts and indexes', () => {
  const path = ['a', { key: 0 }, Symbol('b')];
  expect(standardIssues([{ message: 'No.', path }, { message: 'None.' }])).toEqual([
    { path: ['a', 0, 'Symbol(b)'], message: 'No.' },
    { path: [], message: 'None.' },
  ]);
});
