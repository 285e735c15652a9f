import { defaultRuntime } from '../../core/runtime.js';
import type { StoredItems } from '../item-store.js';
import { endOfPrefix, startOfPage } from '../key-order.js';
import type { RedisCommands } from './client.js';
import { unlessQueued } from './failure.js';
import { dueScript, getScript, insertScript, removeScript, scanScript, swapScript } from './scripts.js';
import type { ScannedItem, StoredItem } from '../store.js';
import type { ItemWrite } from '../versions.js';

/** How long Redis remembers a removal. A caller waits less for a lost reply. */
const removalKnownMs = 600_000;

/** One script reads at most this number of items: Redis does nothing else meanwhile. */
const scanChunk = 200;
const dueChunk = 1_000;

/** The part of a key up to its first slash. */
const groupPattern = /^[^/]+\//;

/** The items in two hashes and a few sorted sets of Redis. Each write is one script. */
export class RedisItems implements StoredItems {
  readonly #evaluate: RedisCommands['evaluate'];
  readonly #name: (part: string) => string;
  readonly #keys: readonly string[];

  constructor({ evaluate }: RedisCommands, prefix: string) {
    this.#evaluate = async (...call) => unlessQueued(await evaluate(...call));
    // The first pair of braces is the hash tag: a tag in the prefix comes before this one.
    this.#name = (part) => `${prefix}{store}:${part}`;
    this.#keys = ['versions', 'data', 'keys'].map(this.#name);
  }

  async get(key: string): Promise<StoredItem | undefined> {
    // The script returns "version writeId" and data, or nil.
    const reply = (await this.#evaluate(getScript, this.#keys, [key])) as [string, string] | null | undefined;
    return reply === null || reply === undefined ? undefined : { version: versionIn(reply[0]), data: reply[1] };
  }

  async write({ key, replaces, version, data, wakeAt }: ItemWrite): Promise<boolean> {
    const writeId = defaultRuntime.newId(); // If the client sends the script twice, the ID identifies the first run.
    const keys = [...this.#keys, this.#name('wake_at'), this.#wakeAtOf(key)];
    const item = [key, `${version} ${writeId}`, data ?? '', wakeAt === null ? '' : String(wakeAt)];
    const run = async (script: string, all: string[], args: string[]) =>
      wasWritten(await this.#evaluate(script, all, args));
    if (replaces === undefined) return run(insertScript, keys, item);
    if (data !== null) return run(swapScript, keys, [...item, String(replaces)]);
    const removed = this.#name(`removed:${writeId}`);
    return run(removeScript, [...keys, removed], [key, String(replaces), String(removalKnownMs)]);
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    const wakeAt = this.#wakeAtOf(prefix);
    const due: string[] = [];
    for (let passed = 0; due.length < limit; passed += dueChunk) {
      const args = [prefix, now, limit - due.length, passed, dueChunk].map(String);
      // The script returns a count and a list of keys.
      const [looked, keys] = (await this.#evaluate(dueScript, [wakeAt], args)) as [unknown, string[]];
      due.push(...keys);
      if (Number(looked) < dueChunk) break;
    }
    return due;
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    const end = endOfPrefix(prefix);
    const to = end === undefined ? '+' : `(${end}`;
    const items: ScannedItem[] = [];
    const start = startOfPage(prefix, after);
    let from = `${start.isIncluded ? '[' : '('}${start.key}`;
    while (items.length < limit) {
      const asked = Math.min(scanChunk, limit - items.length);
      // The script returns three texts for each item.
      const flat = (await this.#evaluate(scanScript, this.#keys, [from, to, String(asked)])) as string[];
      for (let i = 0; i < flat.length; i += 3)
        items.push({ key: flat[i] ?? '', version: versionIn(flat[i + 1] ?? ''), data: flat[i + 2] ?? '' });
      if (flat.length < asked * 3) break;
      from = `(${items.at(-1)?.key ?? ''}`;
    }
    return items;
  }

  /** The sorted set to search: the smaller one, if all keys that start with this text are in one group. */
  #wakeAtOf(text: string): string {
    const [group] = groupPattern.exec(text) ?? [];
    return this.#name(group === undefined ? 'wake_at' : `wake_at:${group}`);
  }
}

/** Clients can be configured to return numbers as texts (`stringNumbers`, `typeMapping`). */
function wasWritten(reply: unknown): boolean {
  const count = typeof reply === 'boolean' || reply === null ? undefined : Number(reply);
  if (count === 0 || count === 1) return count === 1;
  throw new Error(`the reply to a write was ${String(reply)} in place of 0 or 1`);
}

function versionIn(text: string): number {
  return Number(text.split(' ', 1)[0]);
}
