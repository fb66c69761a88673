import type { Simulation } from '../../engine/simulation.ts';
import type { Plan, PlannedProduct, PlannedStore } from './plan.ts';
import { newProductSchema, type Shelf } from './shelf.ts';

/** An element of `errors` (§2). */
export interface RowError {
  readonly code: string;
  readonly message: string;
  readonly rowIndex?: number;
  readonly externalId?: string;
  readonly details: { readonly retryable: boolean };
}

/** Rows of products to create, one after the other. */
export class Rows {
  readonly #simulation: Simulation;
  readonly #plan: Plan;
  readonly #shelf: Shelf;

  constructor(simulation: Simulation, plan: Plan, shelf: Shelf) {
    this.#simulation = simulation;
    this.#plan = plan;
    this.#shelf = shelf;
  }

  isPoison(row: unknown): boolean {
    return this.#plannedOf(row)?.nature === 'poison';
  }

  /** Creates the products that can be created. `purpose`: the purpose of the request. */
  create(store: PlannedStore, rows: readonly unknown[], purpose: string): RowError[] {
    return rows.flatMap((row, rowIndex) => {
      const code = this.#createRow(store, row, purpose);
      if (code === undefined) return [];
      const { externalId } = newProductSchema.parse(row);
      const error = { code, message: code, externalId, details: { retryable: code === 'ROW_BUSY' } };
      const isIndexed = !this.#simulation.faults.strikes('row errors without rowIndex');
      return [isIndexed ? { ...error, rowIndex } : error];
    });
  }

  /** The code that the row is refused with. */
  #createRow(store: PlannedStore, row: unknown, purpose: string): string | undefined {
    const product = newProductSchema.parse(row);
    if (this.#shelf.byExternalId(store, product.externalId) !== undefined) return 'PRD_002';
    if (this.#plannedOf(row)?.nature === 'refused') return 'VAL_001';
    if (this.#simulation.faults.strikes('row refused temporarily')) return 'ROW_BUSY';
    this.#shelf.create(store, product, purpose);
    return undefined;
  }

  #plannedOf(row: unknown): PlannedProduct | undefined {
    const { externalId } = newProductSchema.parse(row);
    return this.#plan.products.find((product) => product.externalId === externalId);
  }
}
