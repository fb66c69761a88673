import { importOfMessage } from '../../correlation/file-message-id.ts';
import { targetsOf } from '../../listings/rules/target.ts';
import { type Rejection, type RejectionKey, UNKNOWN_STORE } from '../model.ts';

/** A rejection as it is found by one key. */
export interface KeyedRejection {
  readonly key: RejectionKey;
  readonly rejection: Rejection;
}

/**
 * One entry for each thing that a rejection is about or comes from. If the rejection has several rows, an entry shows the row with
 * its name.
 */
export function keyedRejections(rejection: Rejection): KeyedRejection[] {
  const { subjects = [], rowIndexes: _, ...facts } = rejection;
  const own = [rejection, ...subjects].flatMap(({ rowIndex, ...names }) => {
    const { sku, id, externalId, orderId, invoiceNumber } = names;
    const row = {
      ...facts,
      ...(subjects.length > 0 && { sku, id, externalId, orderId, invoiceNumber, rowIndex }),
    };
    return subjectKeysOf(names).map((key) => ({ key, rejection: row }));
  });
  const sources = sourceKeysOf(rejection).map((key) => ({ key, rejection }));
  return [...new Map([...own, ...sources].map((one) => [keyText(one.key), one])).values()];
}

/**
 * A copy of a rejection whose store is not connected, to be listed with the rejections that name no store: no list of stores has this
 * store.
 */
export function listedWithoutStore(rejection: Rejection): Rejection[] {
  return rejection.code === 'STORE_UNKNOWN' ? [{ ...rejection, storeClientId: UNKNOWN_STORE }] : [];
}

/** A key as a text. Like the marketplace, it ignores case in order IDs, product IDs and external IDs, but not in SKUs. */
export function keyText({ name, value }: RejectionKey): string {
  const isCaseless = name === 'orderId' || (name === 'target' && !value.startsWith('sku:'));
  return `${name}:${isCaseless ? value.toLowerCase() : value}`;
}

type Names = Pick<Rejection, 'target' | 'sku' | 'id' | 'externalId' | 'orderId' | 'invoiceNumber'>;

function subjectKeysOf({ target, orderId, invoiceNumber, ...names }: Names): RejectionKey[] {
  const targets = new Set([...(target === undefined ? [] : [target]), ...targetsOf(names)]);
  return [
    ...[...targets].map((value) => ({ name: 'target', value }) as const),
    ...keysOf({ orderId, invoiceNumber }),
  ];
}

function sourceKeysOf({ eventId, commandId, batchId }: Rejection): RejectionKey[] {
  return keysOf({ eventId, commandId, batchId, importId: importOfMessage(commandId ?? eventId ?? '') });
}

function keysOf(values: Partial<Record<RejectionKey['name'], string | undefined>>): RejectionKey[] {
  const given = Object.entries(values) as [RejectionKey['name'], string | undefined][];
  return given.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [{ name, value }]));
}
