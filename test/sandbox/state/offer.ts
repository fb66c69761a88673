import { isoTime } from '../clock.ts';

export interface PriceRecord {
  price: number;
  specialPrice: number | null;
  /** ISO 8601, of the moment it was applied. */
  time: string;
}

export interface StockRecord {
  /** Null where the store has no warehouses. */
  clientId: string | null;
  stock: number;
  /** ISO 8601, of the moment it was applied. */
  time: string;
}

/** One stock value to be set: of a warehouse, or of the listing itself where the store has none. */
export interface StockAssignment {
  clientId: string | null;
  stock: number;
}

/** What a price or stock row names: a simple product or one variant, with every value it ever had. */
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

  /** Sets the price; a special price left out stays as it is, null clears it. */
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

  /** The store got its first warehouse: what the listing had is in that warehouse from now on. */
  moveListingStockTo(clientId: string, time: number): void {
    const stock = this.stockByWarehouse.get(null);
    if (stock === undefined) return;
    this.stockByWarehouse.delete(null);
    this.setStock([{ clientId, stock }], time);
  }

  /** The aggregate over all warehouses. */
  get totalStock(): number {
    return [...this.stockByWarehouse.values()].reduce((sum, stock) => sum + stock, 0);
  }
}
