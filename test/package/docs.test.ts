import { expect, it } from 'vitest';
import { documentedNames, readPublished } from './support/declarations.js';

const names = documentedNames(readPublished());

it('reads the published types down to the fields of nested types', () => {
  const read = names.map(({ name }) => name);
  expect(read).toEqual(
    expect.arrayContaining([
      'SocialPublishing.posts',
      'PostsResource.create',
      'Post.scheduledFor',
      'PostTarget.errorMessage',
      'Paginator.toArray',
      'PostSchema',
    ]),
  );
});

it('has a doc on every public name and field', () => {
  // Symbols such as [Symbol.asyncIterator] are known by their names, and so is the name of an error.
  const known = /\.\[Symbol\.|Error\.name$/;
  const missing = names.filter(({ name, doc }) => doc === '' && !known.test(name)).map(({ name }) => name);
  expect(missing).toEqual([]);
});
