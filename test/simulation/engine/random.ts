/** Random numbers that depend on a seed only (mulberry32), with the draws that the simulation needs. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) ^ 0x85ebca6b;
  }

  /** Uniform in [0, 1). */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** Uniform among the integers from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** `true` with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the entries, with equal probability. */
  pick<T>(entries: readonly [T, ...T[]] | readonly T[]): T {
    const entry = entries[this.integer(0, entries.length - 1)];
    if (entry === undefined) throw new RangeError('nothing to pick from');
    return entry;
  }

  /** The entries in another order. */
  shuffle<T>(entries: readonly T[]): T[] {
    return entries
      .map((entry) => ({ entry, rank: this.next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ entry }) => entry);
  }
}
