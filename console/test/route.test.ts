import { expect, it, vi } from 'vitest';

vi.stubGlobal('location', { hash: '' });
let follow: () => void = () => undefined;
vi.stubGlobal('addEventListener', (_: string, listener: () => void) => {
  follow = listener;
});
// Another test may have loaded it with another address.
vi.resetModules();
const { unknownView, view } = await import('../src/state/route.js');
vi.unstubAllGlobals();

it.each([
  ['', 'calendar'],
  ['#/posts', 'posts'],
  ['#/posts/', 'posts'],
  ['#/posts/%', 'posts'],
  ['#/nothing', 'calendar'],
  ['#/posts?status=failed', 'posts'],
  ['#/postscript', 'calendar'],
])('the address %s names the view %s', (hash, name) => {
  vi.stubGlobal('location', { hash });
  follow();
  vi.unstubAllGlobals();
  expect(view.value).toBe(name);
});

it('an address that names no view is reported', () => {
  const at = (hash: string) => {
    vi.stubGlobal('location', { hash });
    follow();
    vi.unstubAllGlobals();
    return unknownView.value;
  };
  expect(['#/nothing', '#/POSTS', '#posts', '#/%E0%A4%A', '#/1?q=x'].map(at)).toEqual([
    'nothing',
    'POSTS',
    'posts',
    '%E0%A4%A',
    '1',
  ]);
  expect(['#/posts', '#/posts/%', '#/posts?q=x', '#/', ''].map(at)).toEqual(Array(5).fill(undefined));
});
