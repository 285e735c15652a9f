/** More than a rotation has in use at a time. */
const mostKeys = 16;

/** The access keys that a client and those made from it sent last. */
export class RecentKeys {
  readonly #keys = new Set<string>();

  add(key: string | null): void {
    if (key === null || this.#keys.has(key)) return;
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > mostKeys && oldest !== undefined) this.#keys.delete(oldest);
  }

  get all(): readonly string[] {
    return [...this.#keys];
  }
}
