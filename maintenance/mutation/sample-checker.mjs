/**
 * A checker for Stryker that passes only a seeded random sample of the mutants to the tests. Stryker groups all mutants
 * before it checks the first one; the sample is drawn there. Plain JavaScript, because Stryker loads it in a child
 * process.
 */
class SampleChecker {
  static inject = ['options'];
  #drawn = new Set();

  constructor({ sample }) {
    this.sample = sample;
  }

  init() {
    return Promise.resolve();
  }

  group(mutants) {
    const random = randomFrom(this.sample.seed);
    const left = [...mutants].sort((a, b) => placeOf(a).localeCompare(placeOf(b)));
    while (this.#drawn.size < this.sample.size && left.length > 0)
      this.#drawn.add(left.splice(Math.floor(random() * left.length), 1)[0].id);
    return Promise.resolve(mutants.map(({ id }) => [id]));
  }

  check(mutants) {
    const outside = { status: 'compileError', reason: 'not in the sample' };
    return Promise.resolve(
      Object.fromEntries(mutants.map(({ id }) => [id, this.#drawn.has(id) ? { status: 'passed' } : outside])),
    );
  }
}

/** Sorts mutants in the same order in each run, independent of Stryker's IDs. */
function placeOf({ fileName, location, mutatorName, replacement }) {
  return JSON.stringify([fileName, location, mutatorName, replacement]);
}

/** Mulberry32. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: SampleChecker }];
