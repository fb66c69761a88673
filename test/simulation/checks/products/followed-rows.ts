import { sumOf } from '../../../../shared/collections/counts.ts';
import type { ProductWorld } from '../../world/products/product-world.ts';

interface UnknownRow {
  /** Of the file. */
  readonly key: string;
  readonly sku: string;
  readonly version: number;
}

/** A file of stock follows its rows to their end: each has one outcome, and what the marketplace does not have is rejected by name. */
export class FollowedRowChecks {
  readonly #world: ProductWorld;
  /** SKUs that the marketplace does not have, with their files. */
  readonly #unknown: UnknownRow[] = [];

  constructor(world: ProductWorld) {
    this.#world = world;
  }

  onUnknown(row: UnknownRow): void {
    this.#unknown.push(row);
  }

  /** Once everything has ended. */
  finish(): void {
    const { simulation, tables } = this.#world;
    const records = tables.imports.all();
    for (const { key, reading, followed } of records) {
      if (reading === undefined || reading.sent === 0) continue;
      const { accepted = 0, superseded = 0, rejected = {}, endedAt } = followed ?? {};
      const known = accepted + superseded + sumOf(rejected);
      if (endedAt === undefined) simulation.violate(`P2: the rows of ${key} are not followed to their end`);
      if (known !== reading.sent)
        simulation.violate(`P2: ${key} has sent ${reading.sent} rows, and ${known} have an outcome`);
    }
    for (const { key, sku, version } of this.#unknown) {
      const listing = tables.listings.all().find(({ target }) => target === `sku:${sku}`);
      // The zero of a full file may replace it before it is sent.
      if (listing?.desired.stock?.version !== version) continue;
      const record = records.find((one) => one.key === key);
      const report = tables.reports.get(record?.reading?.report ?? '') ?? '';
      if (!report.includes(`"sku":"${sku}"`))
        simulation.violate(`P2: ${key} names ${sku}, which does not exist, and its report does not`);
    }
  }
}
