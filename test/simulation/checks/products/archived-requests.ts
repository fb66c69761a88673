import { isObject } from '../../../../shared/collections/parse-json.ts';
import type { Simulation } from '../../engine/simulation.ts';

/** The archived rows of requests: a repeated request has the same rows. */
export class ArchivedRequests extends Map<string, readonly unknown[]> {
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    super();
    this.#simulation = simulation;
  }

  override set(key: string, rows: readonly unknown[]): this {
    const before = this.get(key);
    if (before !== undefined && !rows.some(isUpdate) && JSON.stringify(rows) !== JSON.stringify(before)) {
      this.#simulation.violate(
        `P3: ${key} held ${JSON.stringify(before)}, and now holds ${JSON.stringify(rows)}`,
      );
    }
    return super.set(key, rows);
  }
}

/** An update leaves out what a newer one has set meanwhile. */
function isUpdate(row: unknown): boolean {
  return isObject(row) && 'changes' in row;
}
