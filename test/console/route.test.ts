import { expect, it, vi } from 'vitest';

vi.stubGlobal('location', { hash: '' });
let follow: () => void = () => undefined;
vi.stubGlobal('addEventListener', (_: string, listener: () => void) => {
  follow = listener;
});
const { view } = await import('../../src/console/state/route.js');
vi.unstubAllGlobals();

it.each([
  ['', 'calendar'],
  ['#/posts', 'posts'],
  ['#/posts/', 'posts'],
  ['#/posts/%', 'posts'],
  ['#/nothing', 'calendar'],
  ['#/postscript', 'calendar'],
])('the address %s names the view %s', (hash, name) => {
  vi.stubGlobal('location', { hash });
  follow();
  vi.unstubAllGlobals();
  expect(view.value).toBe(name);
});
