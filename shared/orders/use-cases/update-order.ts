import { ConnectorError } from '../../errors/connector-error.ts';
import type { OrderRecord } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { finishJoin } from './finish-join.ts';

/** How often a name is followed and a record taken over before the order itself is met: more than one of each. */
const MAX_TRIES = 5;

/**
 * Updates an order under the name it is known by: follows a name that was found to be another's, and has the order take
 * over first what it has yet to take over from one. Where `change` begins that, it is called again on what comes of it.
 *
 * @returns the order as it then stands.
 * @throws {ConnectorError} WRITE_CONTENTION (retryable) when others kept coming between.
 */
export async function updateOrder(
  orders: Pick<OrderTable, 'update'>,
  storeClientId: string,
  orderKey: string,
  change: (current: OrderRecord | undefined) => OrderRecord | undefined,
): Promise<OrderRecord | undefined> {
  let key = orderKey;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const record = await orders.update(storeClientId, key, (current) =>
      isWhole(current) ? change(current) : undefined,
    );
    if (record === undefined || isWhole(record)) return record;
    if (record.aliasOf === undefined) await finishJoin(orders, record);
    else key = record.aliasOf;
  }
  throw new ConnectorError(`${orderKey} is found to have other names again and again`, {
    code: 'WRITE_CONTENTION',
    retryable: true,
  });
}

/** Whether all that is known of an order is kept in its record. */
function isWhole(record: OrderRecord | undefined): boolean {
  return record?.aliasOf === undefined && record?.joining === undefined;
}
