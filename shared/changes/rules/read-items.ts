import * as z from 'zod';
import { BLANK, isBlank } from '../../collections/blank.ts';
import { compiled } from '../../collections/compiled.ts';
import { misspelledName } from '../../collections/misspelled-name.ts';
import { isObject, NO_OBJECT } from '../../collections/parse-json.ts';
import { inputErrors } from '../../errors/input-errors.ts';
import { type RegisterName, registerEntries } from '../../listings/model.ts';
import {
  clientIdFault,
  givenExternalId,
  nameOfTarget,
  type TargetName,
  type TargetNames,
  targetFault,
  targetOf,
} from '../../listings/rules/target.ts';
import { exactlyOneOf, identifier, obeys, price, uuid } from '../../marketplace/fields.ts';
import { stockItem } from '../../marketplace/offer-rows.ts';
import { type CommandFault, identifiersIn, rowFault } from '../../requests/rules/rejection.ts';

/** The valid names in a row. */
export type RowIdentifiers = ReturnType<typeof identifiersIn<TargetName>>;

type Values = Partial<Record<RegisterName, number | null>>;
type Base = Partial<Record<RegisterName, number>>;

/** One item of an event, read as values of a target, or why it is invalid. */
export type ItemReading =
  | {
      readonly ok: true;
      readonly target: string;
      /** As given. Absent if it is in lower case. */
      readonly externalId?: string | undefined;
      readonly values: Values;
      /** The negative stock that was given. The register has the value 0 instead. */
      readonly negative?: Base | undefined;
      /** See `ListingChange`. */
      readonly base?: Base | undefined;
    }
  | {
      readonly ok: false;
      readonly names: RowIdentifiers;
      /** A function, as few faults are needed: a message may have 300,000 bad rows, and most of them share a rejection. */
      readonly fault: () => CommandFault;
    };

const names = { sku: identifier.optional(), id: uuid.optional(), externalId: uuid.optional() };
const NAMES = ['sku', 'id', 'externalId'] as const;
const STOCK_FIELDS = [...NAMES, 'stock', 'warehouses'];
const PRICE_FIELDS = [...NAMES, 'price', 'specialPrice'];
const oneName = exactlyOneOf([...NAMES]);
const ONE_NAME = 'EXACTLY_ONE_IDENTIFIER';

/** A price item of an event: a row of §4.8. An item with an `externalId` is rejected later, with a message about names. */
export const changedPriceItem = z
  .strictObject({ ...names, price, specialPrice: price.nullable().optional() })
  .check(obeys(oneName));

/**
 * A special price without a price, from an update of a product. Every row of §4.8 needs a price, so the item has the price that
 * the last read of the product showed.
 */
const specialPriceItem = z
  .strictObject({ ...names, specialPrice: price.nullable(), shownPrice: price })
  .check(obeys(oneName));

const compiledPriceItem = compiled(changedPriceItem);
const compiledSpecialPriceItem = compiled(specialPriceItem);

/**
 * Reads one price item: exactly one of `sku`, `id` and `externalId`; `price`; `specialPrice` set, `null` (clears) or
 * absent (keeps).
 *
 * @param isOfCommand whether a command has sent the item. An item of a partner has no `shownPrice`.
 */
export function readPriceItem(item: unknown, isOfCommand = false): ItemReading {
  if (isOfCommand && isObject(item) && item.shownPrice !== undefined) {
    return readItem(
      compiledSpecialPriceItem(),
      PRICE_FIELDS,
      item,
      ({ specialPrice }) => ({ specialPrice }),
      ({ shownPrice }) => ({ price: shownPrice }),
    );
  }
  return readItem(compiledPriceItem(), PRICE_FIELDS, item, ({ price, specialPrice }) =>
    specialPrice === undefined ? { price } : { price, specialPrice },
  );
}

const givenStock = z.int();

/** A stock item of an event: a row of §4.9. Its stock may be negative, as some systems count oversold pieces below 0. */
export const changedStockItem = stockItem.safeExtend({
  stock: givenStock.optional(),
  warehouses: z
    .array(
      z.union(
        [identifier, z.strictObject({ clientId: identifier, stock: givenStock })],
        'must be a clientId or {clientId, stock}',
      ),
    )
    .optional(),
});

const listableStockItem = compiled(
  changedStockItem.safeExtend({
    warehouses: changedStockItem.shape.warehouses
      .unwrap()
      .check(
        obeys((warehouses) =>
          warehouses.flatMap((warehouse) => {
            const clientId = typeof warehouse === 'string' ? warehouse : warehouse.clientId;
            const message = isBlank(clientId) ? `a clientId ${BLANK}` : clientIdFault(clientId);
            return message === undefined ? [] : [{ path: [], rule: 'CLIENT_ID_INVALID', message }];
          }),
        ),
      )
      .optional(),
  }),
);

/**
 * Reads one stock item of §4.9: exactly one of `sku`, `id`, `externalId`; `stock` alone (global), `stock` with a list
 * of warehouse client IDs, or `warehouses` with a stock each. A negative stock is read as 0.
 */
export function readStockItem(item: unknown): ItemReading {
  const read = readItem(listableStockItem(), STOCK_FIELDS, item, stocksOf);
  if (!read.ok) return read;
  const negative: Base = {};
  const values = { ...read.values };
  for (const [name, value] of registerEntries(read.values)) {
    if (value === null || value === undefined || value >= 0) continue;
    negative[name] = value;
    values[name] = 0;
  }
  return Object.keys(negative).length > 0 ? { ...read, values, negative } : read;
}

function stocksOf({ stock, warehouses }: z.infer<typeof changedStockItem>): Values {
  if (warehouses === undefined) return stock === undefined ? {} : { stock };
  const registers: Partial<Record<RegisterName, number>> = {};
  for (const warehouse of warehouses) {
    const given = typeof warehouse === 'string' ? { clientId: warehouse, stock: stock ?? 0 } : warehouse;
    const name: RegisterName = `stock:${given.clientId}`;
    // Of two values with the same version the smaller one wins (P1).
    registers[name] = Math.min(given.stock, registers[name] ?? given.stock);
  }
  return registers;
}

/** Reads an item by the schema of its row. A rejection names the field and the rule. */
function readItem<Item extends TargetNames>(
  schema: z.ZodType<Item>,
  fields: readonly string[],
  item: unknown,
  valuesOf: (item: Item) => Values,
  baseOf?: (item: Item) => Base,
): ItemReading {
  const parsed = schema.safeParse(item, { error: inputErrors });
  if (!parsed.success) {
    return { ok: false, names: identifiersIn(item, NAMES), fault: () => faultOf(item, fields, parsed.error) };
  }
  const target = targetOf(parsed.data);
  const fault = isBlank(parsed.data.sku) ? BLANK : targetFault(target);
  if (fault === undefined) {
    const externalId = givenExternalId(parsed.data);
    const named = externalId === undefined ? { target } : { target, externalId };
    return { ok: true, ...named, values: valuesOf(parsed.data), base: baseOf?.(parsed.data) };
  }
  const field = nameOfTarget(target);
  const given = { code: 'ROW_INVALID', message: `${field}: ${fault}`, field };
  return { ok: false, names: identifiersIn(item, NAMES), fault: () => given };
}

/**
 * Names a misspelled field first, as the other faults would say that it is missing. Then comes the rule of names, which the schema
 * does not check in a row with another fault.
 */
function faultOf(item: unknown, fields: readonly string[], { issues }: z.ZodError): CommandFault {
  if (!isObject(item)) return { code: 'ROW_INVALID', message: NO_OBJECT, field: '' };
  const misspelled = misspelledName(item, fields);
  if (misspelled !== undefined) {
    const message = `must be written ${misspelled.meant}`;
    const params = { rule: 'FIELD_MISSPELLED' };
    return rowFault([{ code: 'custom', path: [misspelled.given], message, params }]);
  }
  const isOfNames = (issue: z.core.$ZodIssue) => issue.code === 'custom' && issue.params?.rule === ONE_NAME;
  const named = oneName(item).map(
    ({ path, rule, message }): z.core.$ZodIssue => ({
      code: 'custom',
      path: [...path],
      message,
      params: { rule },
    }),
  );
  return rowFault([...named, ...issues.filter((issue) => !isOfNames(issue)).flatMap(issuesWithin)]);
}

/** The issues within a value that has one of the allowed forms, for instance in a warehouse whose stock is a text. */
function issuesWithin(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const form = issue.errors.find((issues) => issues.every(({ path }) => path.length > 0));
  return form?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}
