import { z } from 'zod';
import { isObject } from '../../collections/is-object.ts';
import { identifier, price, uuid } from '../../marketplace/fields.ts';
import { priceItem } from '../../marketplace/prices.ts';
import { exactlyOneOf } from '../../marketplace/rules/identifiers.ts';
import { obeys } from '../../marketplace/rules/problem.ts';
import { type ItemReading, readItem } from './read-item.ts';

/**
 * A special price on its own, as an update of a product may set it: as no row of §4.8 goes without a price, it comes
 * with the one that the product was shown to have.
 */
const specialPriceItem = z
  .strictObject({
    sku: identifier.optional(),
    id: uuid.optional(),
    specialPrice: price.nullable(),
    shownPrice: price,
  })
  .superRefine(obeys(exactlyOneOf(['sku', 'id'])));

/** Reads one price item of §4.8: exactly one of `sku` and `id`; `price`; `specialPrice` set, `null` (clears) or absent (keeps). */
export function readPriceItem(item: unknown): ItemReading {
  if (isObject(item) && item.shownPrice !== undefined) return readSpecialPriceItem(item);
  return readItem(priceItem, item, ({ price, specialPrice }) =>
    specialPrice === undefined ? { price } : { price, specialPrice },
  );
}

function readSpecialPriceItem(item: unknown): ItemReading {
  const reading = readItem(specialPriceItem, item, ({ specialPrice }) => ({ specialPrice }));
  return reading.ok ? { ...reading, base: { price: specialPriceItem.parse(item).shownPrice } } : reading;
}
