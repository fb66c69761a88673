interface PackLimits {
  /** Most rows in one pack. Default: no limit. */
  readonly maxItems?: number;
  /** Most bytes of JSON in one pack, separators included. */
  readonly maxBytes: number;
}

/** Groups rows into packs within the limits, in order. A row larger than `maxBytes` gets a pack of its own. */
export class Packer<Row> {
  readonly #limits: Required<PackLimits>;
  #rows: Row[] = [];
  #bytes = 0;

  constructor({ maxItems = Number.POSITIVE_INFINITY, maxBytes }: PackLimits) {
    this.#limits = { maxItems, maxBytes };
  }

  /**
   * Adds a row.
   *
   * @param bytes the row's size as JSON, in bytes.
   * @returns the previous pack, if this row did not fit into it.
   */
  add(row: Row, bytes: number): Row[] | undefined {
    const grown = this.#bytes + bytes + 1;
    const full =
      this.#rows.length > 0 && (this.#rows.length >= this.#limits.maxItems || grown > this.#limits.maxBytes);
    const finished = full ? this.flush() : undefined;
    this.#rows.push(row);
    this.#bytes += bytes + 1;
    return finished;
  }

  /** Returns the rows since the last pack, if any. */
  flush(): Row[] | undefined {
    if (this.#rows.length === 0) return undefined;
    const pack = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    return pack;
  }
}

/** Packs all rows, in order; see {@link Packer}. */
export function packAll<Row>(
  rows: readonly Row[],
  limits: PackLimits,
  bytesOf: (row: Row) => number = jsonBytes,
): Row[][] {
  const packer = new Packer<Row>(limits);
  const packs = rows.map((row) => packer.add(row, bytesOf(row)));
  return [...packs, packer.flush()].filter((pack) => pack !== undefined);
}

/** Size of a value as JSON, in bytes of UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Splits `items` into chunks of at most `size`, in order. */
export function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
