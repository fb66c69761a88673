import { definedOf } from '../../collections/defined-of.ts';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { DocumentKind } from '../../marketplace/fields.ts';
import type { Command } from '../../requests/model.ts';
import { type OrderRecord, type OrderReference, orderKeyOf } from '../model.ts';
import type { OrderTable } from '../ports.ts';

/** Makes orders listed for a command that waits, before anything is sent for them. Writes each order once per command. */
export async function noteWaitingOrders(
  { orders }: { readonly orders: Pick<OrderTable, 'update'> },
  {
    storeClientId,
    commandId,
    detailType,
    document,
    time,
    receivedAt = time,
  }: Command & { readonly document?: DocumentKind },
  references: readonly OrderReference[],
): Promise<void> {
  const since = new Date(receivedAt).toISOString();
  const own = { commandId, detailType, ...definedOf({ document }), since };
  const isOther = (one: NonNullable<OrderRecord['waited']>[number]) =>
    one.detailType !== detailType || one.document !== document;
  await forEachConcurrently(references, AT_A_TIME, async (reference) => {
    const orderKey = orderKeyOf(reference);
    await orders.update(storeClientId, orderKey, (current) => {
      const known = current?.waited ?? [];
      if (known.some((one) => one.commandId === commandId && one.detailType === detailType)) return undefined;
      const waited = [...known.filter(isOther), own];
      return { storeClientId, orderKey, ...reference, ...current, waited };
    });
  });
}
