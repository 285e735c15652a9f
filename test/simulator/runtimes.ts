/**
 * The JavaScript runtimes of processes. If a connection fails, a runtime sends some requests again, depending on their form.
 * docs/runtimes.md has the measurements.
 */

/** The init of a request, as the runtimes read it. */
export interface RuntimeInit extends RequestInit {
  /** A client of Deno. */
  readonly client?: { readonly poolMaxIdlePerHost: number };
}

export type RuntimeName = 'node' | 'deno' | 'bun';

export interface JsRuntime {
  /** The globals that the package reads. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** The failure after which it sends a request again. `refused`: a server of another host answered 421. */
  readonly failure: 'closed' | 'refused';
  /** Whether it sends this request again. */
  readonly repeats: (init: RuntimeInit) => boolean;
}

export const runtimes: Readonly<Record<RuntimeName, JsRuntime>> = {
  node: {
    globals: { process: { versions: { undici: '7.0.0' } } },
    failure: 'refused',
    repeats: ({ body }) => !(body instanceof ReadableStream),
  },
  deno: {
    globals: {
      Deno: { createHttpClient: (options: RuntimeInit['client']) => ({ ...options, close: () => undefined }) },
    },
    failure: 'closed',
    repeats: ({ client }) => client?.poolMaxIdlePerHost !== 0,
  },
  bun: {
    globals: { Bun: {} },
    failure: 'closed',
    repeats: ({ keepalive }) => keepalive !== false,
  },
};
