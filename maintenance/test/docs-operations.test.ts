/** The pages of the operations: one each, with all that a reader looks up. */
import { describe, expect, it } from 'vitest';
import { operationIndex, operationPages } from '../site/operations.js';
import { operations } from '../../scripts/openapi/operations.js';

const pages = operationPages();

describe('the pages of the operations', () => {
  it('are as many as the operations', () => {
    expect(pages).toHaveLength(operations.length);
    expect(new Set(pages.map(({ name }) => name)).size).toBe(21);
  });

  it.each(pages)('$name has its route, an example, reply, errors, cost and retries', ({ text, name }) => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings.filter((heading) => heading !== 'Body')).toEqual([
      'Example',
      'Parameters',
      'Reply',
      'Errors',
      'Choices of the emulator',
    ]);
    expect(text).toMatch(/^(?:GET|POST|PUT|PATCH) \/v1\/\S+$/m);
    expect(text).toMatch(/^\| Cost \| (?:not documented|1 credit per (?:successful )?call) \|$/m);
    expect(text).toMatch(/^\| Retries \| The client retries /m);
    expect(text).toContain(`client.${name}(`);
    expect(text).not.toMatch(/undefined[ ,]*\||\[object/);
  });

  it('show limits, defaults and required parameters', () => {
    const text = pages.find(({ name }) => name === 'comments.list')?.text;
    expect(text).toContain('| `limit` (query) | integer, at least 1, at most 100, default 25 |');
    expect(text).toContain('| `accountId` (query, required) |');
  });

  it('name the methods that a caller types, not the operation IDs of openapi.json', () => {
    const text = pages.find(({ name }) => name === 'posts.create')?.text;
    expect(text).toContain("The integration's ID, from [`integrations.list`](integrations.list.md).");
    const methods = new Set(pages.map(({ name }) => name.split('.')[1]));
    const ids = operations.map(({ id }) => id).filter((id) => !methods.has(id));
    const found = pages.flatMap((page) =>
      ids.filter((id) => page.text.includes(`\`${id}\``)).map((id) => `${page.name}: ${id}`),
    );
    expect(found).toEqual([]);
  });

  it('show where the emulator made a choice', () => {
    expect(pages.find(({ name }) => name === 'apps.create')?.text).toContain('| required fields of `apps.create` |');
  });

  it('are listed by the page above them', () => {
    const index = operationIndex(pages);
    for (const { name } of pages) expect(index).toContain(`[\`${name}\`](${name}.md)`);
  });
});
