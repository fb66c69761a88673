import { negativeFigureFault } from '../../changes/rules/fault-in-store.ts';
import { readPriceItem, readStockItem } from '../../changes/rules/read-items.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { writeChanges } from '../../events/incoming.ts';
import { registerEntries } from '../../listings/model.ts';
import { shownValuesOf } from '../../listings/rules/shown-values.ts';
import { fieldsOfTarget, nameOfTarget } from '../../listings/rules/target.ts';
import { shownByTarget } from '../../listings/use-cases/recording-reads.ts';
import { clientErrorCodes, MarketplaceError } from '../../marketplace/errors.ts';
import { meaningOf } from '../../marketplace/failures.ts';
import { findProduct, type ProductReads, type ReadableName } from '../../marketplace/find-product.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Store } from '../../stores/model.ts';
import { nameFault, priceNameOf } from '../../stores/rules/names.ts';
import type { EpochMs } from '../../time/times.ts';
import type { ShownValues } from '../model.ts';
import { type Difference, differencesBetween } from '../rules/compare.ts';
import type { ReconcileReport } from '../rules/reconcile-report.ts';

/** What should be live of one product: an item of `price.changed`, of `stock.changed`, or of both in one. */
export type WantedItem = Readonly<Record<string, unknown>>;

export interface ReconcilePorts {
  readonly marketplace: ProductReads;
  readonly changesQueue: { send(bodies: readonly string[]): Promise<void> };
}

export interface ReconcileOptions {
  /** Whether values that differ are sent. */
  readonly apply: boolean;
  /** ID of the sent events. */
  readonly eventId: string;
  /** The version of the sent values, unless `version` is given. */
  readonly now: EpochMs;
  readonly version?: number | undefined;
}

type StoreRules = Pick<Store, 'names' | 'negativeStock'>;

interface Wanted {
  readonly target: string;
  readonly name: ReadableName;
  readonly values: ShownValues;
  readonly price?: object;
  readonly stock?: object;
}

/**
 * Compares what should be live with what is live (§4.12, 4.13), and sends the values that differ if `apply` is set. Items
 * are read one after the other. Reads that get no permit in time, or fail, leave their targets unread.
 *
 * @throws MarketplaceError if the marketplace refuses the store's credentials
 */
export async function reconcile(
  { marketplace, changesQueue }: ReconcilePorts,
  store: StoreCredentials & StoreRules,
  items: readonly WantedItem[],
  { apply, eventId, now, version }: ReconcileOptions,
  callOptions: CallOptions,
): Promise<ReconcileReport> {
  const report: ReconcileReport = {
    differences: [],
    equal: [],
    missing: [],
    unread: [],
    invalid: [],
    sent: 0,
  };
  const prices: object[] = [];
  const stocks: object[] = [];
  for (const [index, item] of items.entries()) {
    const wanted = readWanted(item, store, apply);
    if ('message' in wanted) {
      report.invalid.push({ index, ...wanted });
      continue;
    }
    const { target } = wanted;
    const shown = await readShown(marketplace, store, wanted, callOptions);
    if (typeof shown === 'string') {
      report[shown].push(target);
      continue;
    }
    if ('message' in shown) {
      report.invalid.push({ index, ...shown });
      continue;
    }
    const differences = [...differencesBetween(wanted.values, shown), ...notShown(wanted.values, shown)];
    for (const difference of differences) report.differences.push({ target, ...difference });
    if (differences.length === 0) report.equal.push(target);
    const isPrice = ({ register }: Pick<Difference, 'register'>) =>
      register === 'price' || register === 'specialPrice';
    if (wanted.price && differences.some(isPrice)) prices.push(wanted.price);
    if (wanted.stock && !differences.every(isPrice)) stocks.push(wanted.stock);
  }
  if (!apply) return report;
  const { storeClientId } = store;
  await changesQueue.send(writeChanges({ id: eventId, time: now, version, storeClientId, prices, stocks }));
  return { ...report, sent: prices.length + stocks.length };
}

/** The wanted registers that the product does not show. */
function notShown(wanted: ShownValues, shown: ShownValues): Pick<Difference, 'register' | 'wanted'>[] {
  return registerEntries(wanted).flatMap(([register, value]) =>
    shownValuesOf(wanted, shown, register).length === 0 ? [{ register, wanted: value }] : [],
  );
}

interface Fault {
  readonly field: string;
  readonly message: string;
}

/**
 * The wanted values of an item, with its parts as items of events, or why it is invalid.
 *
 * @param isSent whether the item is to be sent. If so, an item with another kind of name than the store's is invalid: it would be
 * rejected later
 */
function readWanted(item: WantedItem, store: StoreRules, isSent: boolean): Wanted | Fault {
  const { price, specialPrice, stock, warehouses, ...fields } = item;
  const priceItem = definedOf({ ...fields, price, specialPrice });
  const stockItem = definedOf({ ...fields, stock, warehouses });
  const hasPrice = price !== undefined || specialPrice !== undefined;
  const hasStock = stock !== undefined || warehouses !== undefined;
  if (!hasPrice && !hasStock)
    return { field: '', message: 'must have a price (price, specialPrice) or a stock (stock, warehouses)' };
  const readings = [
    ...(hasPrice ? [readPriceItem(priceItem)] : []),
    ...(hasStock ? [readStockItem(stockItem)] : []),
  ];
  let target = '';
  let values: ShownValues = {};
  for (const reading of readings) {
    if (!reading.ok) return withoutCode(reading.fault());
    const fault = negativeFigureFault(reading.negative, store);
    if (fault !== undefined) return withoutCode(fault);
    target = reading.target;
    values = { ...values, ...reading.values };
  }
  const name = fieldsOfTarget(target);
  if ('externalId' in name)
    return { field: 'externalId', message: 'the marketplace reads a product by sku or id only' };
  const expected = [
    ...(hasPrice ? [priceNameOf(store.names)] : []),
    ...(hasStock ? [store.names.products] : []),
  ];
  for (const one of isSent ? expected : []) {
    const fault = nameFault('products', one, nameOfTarget(target));
    if (fault !== undefined) return withoutCode(fault);
  }
  return {
    target,
    name,
    values,
    ...(hasPrice && { price: priceItem }),
    ...(hasStock && { stock: stockItem }),
  };
}

/** The fault without its code, which the report does not show. */
function withoutCode({ field = '', message }: Pick<CommandFault, 'field' | 'message'>): Fault {
  return { field, message };
}

const REFUSALS: ReadonlySet<string> = new Set(['store-refused', 'partner-refused']);

/** The live values of a target, or why there are none. */
async function readShown(
  marketplace: ReconcilePorts['marketplace'],
  store: StoreCredentials,
  { target, name }: Wanted,
  options: CallOptions,
): Promise<ShownValues | Fault | 'missing' | 'unread'> {
  try {
    const product = await findProduct(marketplace, store, name, options);
    return product === undefined ? 'missing' : (shownByTarget(product).get(target) ?? {});
  } catch (error) {
    if (!(error instanceof MarketplaceError) || REFUSALS.has(meaningOf(error))) throw error;
    // The client refuses this name, so reading again would not help.
    if (error.code === clientErrorCodes.requestInvalid)
      return { field: nameOfTarget(target), message: error.message };
    return 'unread';
  }
}
