import type { ClientHooks } from '../../src/index.js';

export const hookNames = ['onStart', 'onRequest', 'onResponse', 'onRetry', 'onError', 'onEnd'] as const;

/** Hooks that record their calls: each with its name and its payload. */
export function recorder(names: readonly (keyof ClientHooks)[] = hookNames) {
  const told: [name: string, info: Record<string, unknown>][] = [];
  const hooks: ClientHooks = Object.fromEntries(
    names.map((name) => [
      name,
      (info: object) => {
        told.push([name, { ...info }]);
      },
    ]),
  );
  /** The payloads of one hook. */
  const infosOf = (hook: keyof ClientHooks) => told.filter(([name]) => name === hook).map(([, info]) => info);
  return { told, hooks, infosOf };
}
