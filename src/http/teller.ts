import type { ClientHooks, DriftInfo } from './hooks.js';

/** The names of a free-form field have no end, and with them the places that may differ. */
const mostToldDrifts = 1_000;

/** Tells a client's hooks what it does. */
export class Teller {
  readonly #hooks: ClientHooks;
  /** Drifts that were told, by route and path. */
  readonly #toldDrifts: Set<string>;

  constructor(hooks: ClientHooks, toldDrifts: Set<string>) {
    this.#hooks = hooks;
    this.#toldDrifts = toldDrifts;
  }

  /** Whether anybody listens: what nobody hears need not be put together. */
  hears(name: keyof ClientHooks): boolean {
    return this.#hooks[name] !== undefined;
  }

  /** Tells a hook. What it throws is its own affair: a call that was carried out must not look failed. */
  tell<Name extends keyof ClientHooks>(name: Name, info: Parameters<NonNullable<ClientHooks[Name]>>[0]): void {
    const hook = this.#hooks[name] as ((info: unknown) => unknown) | undefined;
    try {
      const result = hook?.(info);
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // See above.
    }
  }

  /** Tells of each drift once per route and path. */
  tellDrifts(drifts: readonly DriftInfo[]): void {
    for (const drift of drifts) {
      const name = `${drift.route} ${drift.path}`;
      if (this.#toldDrifts.has(name) || this.#toldDrifts.size >= mostToldDrifts) continue;
      this.#toldDrifts.add(name);
      this.tell('onDrift', drift);
    }
  }
}
