const windowMs = 1000;

/** The requests that each rate limit accepted in the last second of real time. They are not part of the state. */
export class RateLimits {
  readonly #taken = new Map<string, number[]>();

  takes(id: string, perSecond: number): boolean {
    const now = performance.now();
    const recent = (this.#taken.get(id) ?? []).filter((at) => at > now - windowMs);
    const takes = recent.length < perSecond;
    if (takes) recent.push(now);
    this.#taken.set(id, recent);
    return takes;
  }
}
