import { expect, test } from 'vitest';
import type { BatchRecord } from '../../../../shared/batches/model.ts';
import type { Listing } from '../../../../shared/listings/model.ts';
import { rearmCreatedByBatch } from '../../../../shared/listings/use-cases/rearm.ts';
import { simpleProduct, skuOf } from '../../../run/catalog.ts';
import { NOW, setUp } from '../../products/update-setup.ts';

/** Stock that was sent before its product existed. */
const rejected = (number: number): Listing => {
  const value = { value: 5, version: NOW };
  const at = new Date(NOW).toISOString();
  return {
    storeClientId: 's-1',
    target: `sku:${skuOf(number)}`,
    versionKind: 'time',
    desired: { stock: value },
    sent: { stock: { ...value, at } },
    settled: { stock: { ...value, at, outcome: 'rejected', code: 'INV_001' } },
    failures: 0,
  };
};

test('values that were rejected because their product was missing wait again when a batch has created it', async () => {
  const { ports, tickets } = setUp();
  const { listings } = ports;
  for (const number of [1, 2]) {
    await listings.update('s-1', `sku:${skuOf(number)}`, () => rejected(number));
  }
  const requestKey = 'requests/a-1.json';
  // A product whose SKU is too long for a listing was created as well.
  const listless = { ...simpleProduct(3), sku: 'x'.repeat(1021) };
  await ports.archive.put(requestKey, [simpleProduct(1), simpleProduct(2), listless]);
  const batch = {
    kind: 'catalog-sync',
    state: 'completed_with_errors',
    storeClientId: 's-1',
    rejectedRows: [{ rowIndex: 1, code: 'VAL_001', message: 'no' }],
    submission: { requestKey },
  } as BatchRecord;

  await rearmCreatedByBatch(ports, { ...batch, state: 'submitted' });
  expect(tickets).toEqual([]);
  await rearmCreatedByBatch(ports, batch);
  expect(tickets).toEqual([{ storeClientId: 's-1' }]);
  expect((await listings.get('s-1', `sku:${skuOf(1)}`))?.settled).toEqual({});
  expect((await listings.get('s-1', `sku:${skuOf(2)}`))?.settled).not.toEqual({});
});
