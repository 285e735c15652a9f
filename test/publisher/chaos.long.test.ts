/** The short form of `npm run chaos`: processes that die after any call of the store or of the network. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore, type StoreSpec } from '../stores/open-store.js';
import { Chaos, keyOf, type Handled, type Outcome } from './chaos/run.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder('social-publishing-chaos', afterAll);

// Its types don't know that older versions of Node have no such module.
const hasSqlite = (process.getBuiltinModule('node:sqlite') as object | undefined) !== undefined;
const setups: readonly { readonly spec: StoreSpec; readonly count: number }[] = [
  { spec: { kind: 'memory' }, count: 250 },
  // Each write goes to the disk.
  ...(hasSqlite ? [{ spec: { kind: 'sqlite', file: join(folder, `${randomUUID()}.db`) } as const, count: 90 }] : []),
];
/** Another seed gives another run: CHAOS_SEED=8. */
const seed = Number(process.env['CHAOS_SEED'] ?? 7);

describe.each(setups)('$spec.kind: processes that die while they publish and handle events', ({ spec, count }) => {
  it('publish nothing twice, lose nothing, and hold only intents that were never sent', async () => {
    const store = await openStore(spec);
    await store.setup?.();
    const outcome = await new Chaos(store, seed).run(count);
    await store.close?.();
    checkIntents(outcome, count);
    checkEvents(outcome, count);
  });
});

function checkIntents({ intents, posts, deaths }: Outcome, count: number): void {
  expect(intents.map(({ key }) => key)).toEqual(Array.from({ length: count }, (_, i) => keyOf(i)));
  // No duplicate, and each post belongs to its intent. An intent without a post is held.
  for (const { key, state, postId } of intents) {
    expect([key, posts.get(key) ?? []]).toEqual([key, postId === undefined ? [] : [postId]]);
    expect([key, state]).toEqual([
      key,
      postId === undefined ? 'in_doubt' : expect.stringMatching(/^(published|partial|failed)$/),
    ]);
  }
  const held = intents.filter(({ state }) => state === 'in_doubt');
  // Otherwise there was no chaos.
  expect(deaths.publishers).toBeGreaterThan(count / 25);
  expect(held.length).toBeGreaterThan(0);
  expect(held.length).toBeLessThan(count / 3);
}

function checkEvents({ states, handled, deaths }: Outcome, count: number): void {
  const byState = new Map<string, Handled[]>();
  for (const one of handled) byState.set(one.state, [...(byState.get(one.state) ?? []), one]);
  expect([...byState.keys()].sort()).toEqual([...states].sort());
  for (const [state, times] of byState) {
    expect([state, new Set(times.map(({ id }) => id)).size]).toEqual([state, 1]);
    // Handled again only without a record: all handlers except the last one died.
    expect([state, times.slice(0, -1).every(({ by }) => by.isDead)]).toEqual([state, true]);
  }
  expect(deaths.inboxes).toBeGreaterThan(count / 25);
  expect(handled.filter(({ id }) => id.startsWith('recovered_')).length).toBeGreaterThan(0);
}
