import { currentProcess } from '../core/runtime.js';

/** The own `fetch` of the runtime, unless something replaced it before this file was loaded. */
const loadedFetch = globalThis.fetch as typeof globalThis.fetch | undefined;

/** The used part of Deno's namespace. */
interface PartialDeno {
  readonly createHttpClient?: (options: { readonly poolMaxIdlePerHost: number }) => { close(): void };
}

/**
 * Calls the global `fetch` so that the runtime sends the request at most once.
 *
 * Some runtimes send a request again if a reused connection closes before the reply, although the server may have executed
 * the first one. Deno and Bun do so without a limit on methods in some versions, so here every request gets a new connection.
 * Node sends a request again after a 421, but never one with a stream (Fetch standard, HTTP-network-or-cache fetch). A GET
 * cannot have one. Browsers offer no means against it. docs/runtimes.md has the measurements.
 */
export async function fetchOnce(url: string, init: RequestInit): Promise<Response> {
  const { Deno, Bun } = globalThis as { readonly Deno?: PartialDeno; readonly Bun?: unknown };
  if (typeof Deno?.createHttpClient === 'function') {
    const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    try {
      // Only Deno's types know `client`.
      return await globalThis.fetch(url, { ...init, client } as RequestInit);
    } finally {
      // A reply that still arrives is not cut off.
      client.close();
    }
  }
  if (Bun !== undefined) return globalThis.fetch(url, { ...init, keepalive: false });
  // A replacement may read the body as text.
  const isNodes = currentProcess()?.versions?.undici !== undefined && globalThis.fetch === loadedFetch;
  return globalThis.fetch(url, isNodes && init.method !== 'GET' ? asStream(init) : init);
}

/** Sends the length as for a text: otherwise a stream goes out in chunks, which some servers refuse. */
function asStream(init: RequestInit): RequestInit {
  // The client's bodies are texts, and its headers an object.
  const bytes = new TextEncoder().encode(init.body as string | undefined);
  const headers = { ...(init.headers as Record<string, string>), 'content-length': String(bytes.byteLength) };
  const body = new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
  // A stream requires `duplex`, which the types do not know.
  return { ...init, headers, body, duplex: 'half' } as RequestInit;
}
