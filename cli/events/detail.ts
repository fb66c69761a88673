import { definedOf } from '../../shared/collections/defined-of.ts';
import type { IncomingDetailType } from '../../shared/events/incoming.ts';
import { usageError } from '../errors.ts';

/** The fields of an event that options give. */
export interface Fields {
  readonly store?: string;
  readonly sku?: string;
  readonly id?: string;
  readonly externalId?: string;
  readonly stock?: number;
  readonly warehouse?: string;
  readonly price?: number;
  readonly specialPrice?: number;
  readonly order?: string;
  readonly decision?: string;
  readonly reasonCode?: string;
  readonly reason?: string;
  readonly document?: string;
}

const FIELDS = [
  'store',
  'sku',
  'id',
  'externalId',
  'stock',
  'warehouse',
  'price',
  'specialPrice',
  'order',
  'decision',
  'reasonCode',
  'reason',
  'document',
] as const satisfies readonly (keyof Fields)[];

/** The given ones. */
export function fieldsOf(options: Fields): Partial<Record<keyof Fields, string | number>> {
  return Object.fromEntries(
    FIELDS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

const PRODUCT = ['sku', 'id', 'externalId'] as const;

/** The options that each type takes; other types need `--detail`. */
const TAKES: Partial<Record<IncomingDetailType, readonly (keyof Fields)[]>> = {
  'stock.changed': [...PRODUCT, 'stock', 'warehouse'],
  'price.changed': [...PRODUCT, 'price', 'specialPrice'],
  'order.decision.requested': ['order', 'decision', 'reasonCode', 'reason'],
  'order.dropoff.requested': ['order'],
  'order.document.requested': ['order', 'document'],
  'product.delete.requested': ['id'],
};

/**
 * The detail of an event from options.
 *
 * @throws CliError for a type or an option that does not fit
 */
export function detailOf(type: IncomingDetailType, options: Fields): object {
  const takes = TAKES[type];
  if (takes === undefined)
    throw usageError(`${type} needs --detail FILE`, 'Its fields are in docs/events.md.');
  const { store: storeClientId, ...given } = fieldsOf(options);
  if (storeClientId === undefined) throw usageError(`${type} needs --store`);
  const unfit = Object.keys(given).filter((name) => !takes.includes(name as keyof Fields));
  if (unfit.length > 0)
    throw usageError(
      `${type} does not take ${unfit.map(flagOf).join(', ')}`,
      `It takes ${takes.map(flagOf).join(', ')}.`,
    );
  return { storeClientId, ...bodyOf(type, options) };
}

function bodyOf(type: IncomingDetailType, options: Fields): object {
  const { sku, id, externalId, stock, warehouse, price, specialPrice } = options;
  const { order: orderId, decision, reasonCode, reason, document } = options;
  const product = { sku, id, externalId };
  switch (type) {
    case 'stock.changed':
      return warehouse === undefined
        ? { items: [definedOf({ ...product, stock })] }
        : { items: [definedOf({ ...product, warehouses: [{ clientId: warehouse, stock }] })] };
    case 'price.changed':
      return { items: [definedOf({ ...product, price, specialPrice })] };
    case 'product.delete.requested':
      return { ids: id === undefined ? [] : [id] };
    case 'order.document.requested':
      return definedOf({ orderId, document });
    default:
      return { items: [definedOf({ orderId, decision, reasonCode, reason })] };
  }
}

/** The option of a field. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
