import { isoTime } from '../clock.ts';

export interface PriceRecord {
  price: number;
  specialPrice: number | null;
  /** ISO 8601: when it was applied. */
  time: string;
}

export interface StockRecord {
  /** Null if the store has no warehouses. */
  clientId: string | null;
  stock: number;
  /** ISO 8601: when it was applied. */
  time: string;
}

/** A stock value to set: of a warehouse, or of the listing itself if the store has no warehouses. */
export interface StockAssignment {
  clientId: string | null;
  stock: number;
}

/** Price and stock of a simple product or a variant, with their history. */
export class Offer {
  readonly id: string;
  readonly target: 'product' | 'variant';
  readonly history: { price: PriceRecord[]; stock: StockRecord[] } = { price: [], stock: [] };
  readonly stockByWarehouse = new Map<string | null, number>();
  price = 0;
  specialPrice: number | null = null;

  constructor(id: string, target: 'product' | 'variant') {
    this.id = id;
    this.target = target;
  }

  /** Sets the price. An undefined special price keeps the current one, null removes it. */
  setPrice(price: number, specialPrice: number | null | undefined, time: number): void {
    this.price = price;
    if (specialPrice !== undefined) this.specialPrice = specialPrice;
    this.history.price.push({ price, specialPrice: this.specialPrice, time: isoTime(time) });
  }

  setStock(assignments: readonly StockAssignment[], time: number): void {
    for (const { clientId, stock } of assignments) {
      this.stockByWarehouse.set(clientId, stock);
      this.history.stock.push({ clientId, stock, time: isoTime(time) });
    }
  }

  /** Moves the listing's own stock to the store's first warehouse. */
  moveListingStockTo(clientId: string, time: number): void {
    const stock = this.stockByWarehouse.get(null);
    if (stock === undefined) return;
    this.stockByWarehouse.delete(null);
    this.setStock([{ clientId, stock }], time);
  }

  /** The sum over all warehouses. */
  get totalStock(): number {
    return [...this.stockByWarehouse.values()].reduce((sum, stock) => sum + stock, 0);
  }
}
