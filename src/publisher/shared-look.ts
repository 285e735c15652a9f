import type { Looked, Wanted } from './look-up.js';

/** Looks that are asked for while one is under way wait for its end, and share the walks of the next one. */
export class SharedLook {
  readonly #lookUp: (wanted: readonly Wanted[]) => Promise<readonly Looked[]>;
  #last: Promise<unknown> = Promise.resolve();
  #next: { readonly wanted: Map<string, Wanted>; readonly looked: Promise<Map<string, Looked>> } | undefined;

  constructor(lookUp: (wanted: readonly Wanted[]) => Promise<readonly Looked[]>) {
    this.#lookUp = lookUp;
  }

  async look(wanted: readonly Wanted[]): Promise<Looked[]> {
    const next = (this.#next ??= this.#open());
    for (const one of wanted) next.wanted.set(one.record.key, one);
    const looked = await next.looked;
    return wanted.flatMap(({ record: { key } }) => looked.get(key) ?? []);
  }

  #open() {
    const wanted = new Map<string, Wanted>();
    const looked = this.#last.then(async () => {
      this.#next = undefined;
      return new Map((await this.#lookUp([...wanted.values()])).map((one) => [one.key, one]));
    });
    this.#last = looked.catch(() => undefined);
    return { wanted, looked };
  }
}
