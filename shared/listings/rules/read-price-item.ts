import { priceItem } from '../../marketplace/prices.ts';
import { type ItemReading, readItem } from './read-item.ts';

/** Reads one price item of §4.8: exactly one of `sku` and `id`; `price`; `specialPrice` set, `null` (clears) or absent (keeps). */
export function readPriceItem(item: unknown): ItemReading {
  return readItem(priceItem, item, ({ price, specialPrice }) =>
    specialPrice === undefined ? { price } : { price, specialPrice },
  );
}
