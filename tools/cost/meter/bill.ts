import { CHUNK_BYTES, type Meter, meters } from '../prices.ts';

/** Units that were used, by what is billed. */
export class Bill {
  readonly #units = new Map<Meter, number>();

  add(meter: Meter, units: number): void {
    this.#units.set(meter, this.units(meter) + units);
  }

  /** Adds one unit for each 64 KB that was begun. */
  addChunks(meter: Meter, bytes: number): void {
    this.add(meter, Math.max(1, Math.ceil(bytes / CHUNK_BYTES)));
  }

  units(meter: Meter): number {
    return this.#units.get(meter) ?? 0;
  }

  get usd(): number {
    return Object.entries(meters).reduce(
      (sum, [meter, { usd }]) => sum + usd * this.units(meter as Meter),
      0,
    );
  }

  clear(): void {
    this.#units.clear();
  }

  /** A bill of the same units, each times `factor`. */
  times(factor: number): Bill {
    const scaled = new Bill();
    for (const [meter, units] of this.#units) scaled.add(meter, units * factor);
    return scaled;
  }

  /** A bill of the units of both. */
  plus(other: Bill): Bill {
    const sum = this.times(1);
    for (const [meter, units] of other.#units) sum.add(meter, units);
    return sum;
  }
}
