import type { DurableStore } from '../../publisher/index.js';
import { isLocal } from '../connection.js';

/** The emulator's stream of changes. The command opens it only at loopback addresses. */
export interface EmulatorEvents {
  /** Whether the service is the emulator. */
  readonly isThere: Promise<boolean>;
  readonly onChange: (listener: () => void) => void;
}

const pauseMs = 1000;

/** Reads the stream until the signal aborts. Opens a stream again when it ends. */
export function watchEmulator(baseUrl: string, signal: AbortSignal): EmulatorEvents {
  let listener: () => void = () => undefined;
  const onChange = (next: () => void) => {
    listener = next;
  };
  if (!isLocal(baseUrl)) return { isThere: Promise.resolve(false), onChange };
  const open = () => openStream(`${new URL(baseUrl).origin}/_emulator/events`, signal);
  const isThere = open().then((first) => {
    if (first === undefined) return false;
    void follow(first, {
      open,
      signal,
      onText: () => {
        listener();
      },
    });
    return true;
  });
  return { isThere, onChange };
}

async function openStream(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined> {
  try {
    const response = await fetch(url, { signal, headers: { accept: 'text/event-stream' } });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (response.ok && isStream && response.body !== null) return response.body;
    await response.body?.cancel();
    return undefined;
  } catch {
    return undefined;
  }
}

async function follow(
  first: ReadableStream<Uint8Array>,
  {
    open,
    signal,
    onText,
  }: {
    readonly open: () => Promise<ReadableStream<Uint8Array> | undefined>;
    readonly signal: AbortSignal;
    readonly onText: () => void;
  },
): Promise<void> {
  let stream: ReadableStream<Uint8Array> | undefined = first;
  const isStopped = () => signal.aborted;
  while (!isStopped()) {
    await readAll(stream, onText).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    if (!isStopped()) stream = await open();
  }
}

/** Only changes of posts matter. This command's own requests are changes too. They must not cause more requests. */
async function readAll(stream: ReadableStream<Uint8Array> | undefined, onText: () => void): Promise<void> {
  if (stream === undefined) return;
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    if (/^event: (?:post|clock|state)$/m.test(decoder.decode(chunk, { stream: true }))) onText();
  }
}

/** A post that a list shows. */
interface SeenPost {
  readonly postId: string;
  readonly createdAt?: string | undefined;
}

const runKey = 'run';

/**
 * A store with a part for each run of the emulator. A new run without its state assigns the same post IDs again. A
 * known ID with another `createdAt` shows a new run.
 */
export class RunStore {
  readonly #all: DurableStore;
  #current: DurableStore;
  #run = 0;
  /** The part of the current run. */
  readonly store: DurableStore = {
    get: (...args) => this.#current.get(...args),
    insert: (...args) => this.#current.insert(...args),
    swap: (...args) => this.#current.swap(...args),
    due: (...args) => this.#current.due(...args),
    scan: (...args) => this.#current.scan(...args),
  };

  constructor(all: DurableStore) {
    this.#all = all;
    this.#current = prefixedStore(all, 'run/0/');
  }

  get run(): number {
    return this.#run;
  }

  /** Continues with the last run. */
  async open(): Promise<void> {
    this.#use(Number((await this.#all.get(runKey))?.data ?? 0));
  }

  /** Remembers a post. If its ID belongs to another post, a new part begins. */
  async see({ postId, createdAt }: SeenPost): Promise<void> {
    if (createdAt === undefined) return;
    const key = `post/${postId}`;
    const item = await this.#current.get(key);
    if (item?.data === createdAt) return;
    if (item !== undefined) await this.#begin(this.#run + 1);
    await this.#current.insert(key, createdAt, null);
  }

  async #begin(run: number): Promise<void> {
    const item = await this.#all.get(runKey);
    if (item === undefined) await this.#all.insert(runKey, String(run), null);
    else await this.#all.swap(runKey, item.version, String(run), null);
    this.#use(run);
  }

  #use(run: number): void {
    this.#run = run;
    this.#current = prefixedStore(this.#all, `run/${String(run)}/`);
  }
}

/** A part of a store: all its keys begin with the prefix. */
export function prefixedStore(store: DurableStore, prefix: string): DurableStore {
  const cut = (key: string) => key.slice(prefix.length);
  return {
    get: (key) => store.get(prefix + key),
    insert: (key, data, wakeAt) => store.insert(prefix + key, data, wakeAt),
    swap: (key, version, data, wakeAt) => store.swap(prefix + key, version, data, wakeAt),
    due: async (inner, now, limit) => (await store.due(prefix + inner, now, limit)).map(cut),
    scan: async (inner, after, limit) => {
      const items = await store.scan(prefix + inner, after === undefined ? undefined : prefix + after, limit);
      return items.map((item) => ({ ...item, key: cut(item.key) }));
    },
  };
}
