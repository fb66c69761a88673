import { z } from 'zod';
import { isObject } from '../../collections/is-object.ts';
import { identifier, price, uuid } from '../../marketplace/fields.ts';
import { exactlyOneOf } from '../../marketplace/rules/identifiers.ts';
import { obeys } from '../../marketplace/rules/problem.ts';
import { type ItemReading, readItem } from './read-item.ts';

/**
 * A price as an event gives it: a row of §4.8, or the same by `externalId`, which only goes where an answer has shown
 * the product's sku or id (see `mergeChange`).
 */
export const changedPriceItem = z
  .strictObject({
    sku: identifier.optional(),
    id: uuid.optional(),
    externalId: uuid.optional(),
    price,
    specialPrice: price.nullable().optional(),
  })
  .superRefine(obeys(exactlyOneOf(['sku', 'id', 'externalId'])));

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

/**
 * Reads one price item: exactly one of `sku`, `id` and `externalId`; `price`; `specialPrice` set, `null` (clears) or
 * absent (keeps).
 */
export function readPriceItem(item: unknown): ItemReading {
  if (isObject(item) && item.shownPrice !== undefined) return readSpecialPriceItem(item);
  return readItem(changedPriceItem, item, ({ price, specialPrice }) =>
    specialPrice === undefined ? { price } : { price, specialPrice },
  );
}

function readSpecialPriceItem(item: unknown): ItemReading {
  const reading = readItem(specialPriceItem, item, ({ specialPrice }) => ({ specialPrice }));
  return reading.ok ? { ...reading, base: { price: specialPriceItem.parse(item).shownPrice } } : reading;
}
