const windowMs = 1000;

/** What each rate limit took in the second behind, by the real time: no part of the state. */
export class RateLimits {
  readonly #taken = new Map<string, number[]>();

  /** Takes one more request, where that keeps the limit. */
  takes(id: string, perSecond: number): boolean {
    const now = performance.now();
    const recent = (this.#taken.get(id) ?? []).filter((at) => at > now - windowMs);
    const takes = recent.length < perSecond;
    if (takes) recent.push(now);
    this.#taken.set(id, recent);
    return takes;
  }
}
