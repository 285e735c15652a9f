/**
 * Test files share a process, which saves importing the package for each of them. So a file must leave the process as it
 * found it: this setup fails a file that leaves a changed global, environment variable or listener behind. It stops the
 * intervals of a file: the running clock of an emulator would deliver events during the tests of other files.
 */
import { afterAll, expect } from 'vitest';

const { setInterval, clearInterval } = globalThis;
const intervals: NodeJS.Timeout[] = [];
Object.assign(globalThis, {
  setInterval: (...args: Parameters<typeof setInterval>) => {
    const interval = setInterval(...args);
    intervals.push(interval);
    return interval;
  },
});
const before = snapshot();

afterAll(() => {
  const after = snapshot();
  Object.assign(globalThis, { setInterval });
  intervals.forEach(clearInterval);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => !Object.is(before.get(key), after.get(key)) && !isLoadedLater(key),
  );
  expect(changed, 'left behind by this file').toEqual([]);
});

function snapshot(): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const owner of ['globalThis', 'console', 'Math', 'performance'] as const) {
    const target: object = owner === 'globalThis' ? globalThis : globalThis[owner];
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(target)))
      if (!name.startsWith('__')) found.set(`${owner}.${name}`, descriptor.value);
  }
  for (const [name, value] of Object.entries(process.env)) found.set(`process.env.${name}`, value);
  for (const event of process.eventNames()) found.set(`listeners of ${String(event)}`, process.listenerCount(event));
  found.set('process.exitCode', process.exitCode);
  found.set('process.cwd()', process.cwd());
  return found;
}

/** Node replaces the getter of a global, such as `Headers`, with its value when the global is first read. */
const isLoadedLater = (key: string) => before.has(key) && before.get(key) === undefined;
