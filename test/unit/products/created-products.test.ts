import { describe, expect, test, vi } from 'vitest';
import { externalIdOf, simpleProduct, variantProduct } from '../../../local/run/catalog.ts';
import type { BatchRecord } from '../../../shared/batches/model.ts';
import { createdProducts, queueCreatedOfBatch } from '../../../shared/products/created-products.ts';
import { inMemoryRequestArchive } from '../../doubles/in-memory-request-archive.ts';

const ENDED = '2026-11-22T08:00:00.000Z';
const LATER = '2026-11-22T08:05:00.000Z';
const namesOf = (number: number) => ({ externalId: externalIdOf(number), sku: simpleProduct(number).sku });
const ended = (some: Partial<BatchRecord> = {}) =>
  ({
    kind: 'catalog-sync',
    state: 'completed_with_errors',
    storeClientId: 's-1',
    completedAt: ENDED,
    rejectedRows: [{ rowIndex: 1, code: 'VAL_001', message: 'no' }],
    submission: { requestKey: 'requests/a-1.json', names: [namesOf(1), namesOf(2)] },
    ...some,
  }) as BatchRecord;
const contradicted = { contradictions: [{ receivedAt: LATER }] } as Partial<BatchRecord>;

describe('the products that a batch has created', () => {
  test('are those of its accepted rows, with their variants', () => {
    const sent = [simpleProduct(1), simpleProduct(2), variantProduct(3)];
    expect(createdProducts(ended(), sent)).toEqual([
      namesOf(1),
      { externalId: externalIdOf(3), isParent: true },
      { sku: 'SKU-000003-BLACK' },
      { sku: 'SKU-000003-WHITE' },
      { sku: 'SKU-000003-RED' },
    ]);
  });

  test('may be those of all its rows once a summary contradicts its end', () => {
    const sent = [simpleProduct(1), simpleProduct(2)];
    expect(createdProducts(ended(contradicted), sent)).toEqual([namesOf(1), namesOf(2)]);
    expect(createdProducts(ended({ ...contradicted, state: 'failed' }), sent)).toHaveLength(2);
  });

  test.each([
    ['catalog-sync', 'completed', 1],
    ['product-create-variants', 'completed_with_errors', 1],
    ['catalog-sync', 'unresolved', 1],
    ['catalog-sync', 'submitted', 0],
    ['catalog-sync', 'failed', 0],
    ['stock', 'completed', 0],
  ] as const)('of kind %s and state %s number %d', (kind, state, count) => {
    expect(createdProducts(ended({ kind, state }), [simpleProduct(1)])).toHaveLength(count);
  });
});

describe('an ended batch queues its created products', () => {
  async function queued(
    batch: BatchRecord,
    sent: readonly unknown[] = [variantProduct(3), variantProduct(4)],
  ) {
    const archive = inMemoryRequestArchive();
    await archive.put('requests/a-1.json', sent);
    const sendCreated = vi.fn(async (_: { readonly products: readonly object[] }) => {});
    await queueCreatedOfBatch(
      { archive, changes: { sendCreated, sendRenamed: async () => {}, send: async () => {} } },
      batch,
    );
    return sendCreated.mock.calls.flat();
  }

  test('with the time when the batch ended', async () => {
    const created = { storeClientId: 's-1', products: [namesOf(1)], knownAt: Date.parse(ENDED) };
    expect(await queued(ended())).toMatchObject([created]);
  });

  test('with the time when its request was signed', async () => {
    const { submission, ...batch } = ended();
    const signedAt = Date.parse(ENDED) - 90_000;
    expect(await queued({ ...batch, submission: { ...submission, signedAt } as never })).toMatchObject([
      { sentAt: signedAt },
    ]);
    const { submittedAt } = batch;
    expect(await queued(ended())).toMatchObject([{ sentAt: Date.parse(submittedAt) }]);
  });

  test('again with the time of a summary that contradicts its end', async () => {
    expect(await queued(ended(contradicted))).toMatchObject([{ knownAt: Date.parse(LATER) }]);
  });

  test('with the SKUs of variants, which only its archived request has', async () => {
    const [created] = await queued(ended({ kind: 'catalog-variants-sync' }));
    expect(created?.products).toEqual([
      { externalId: externalIdOf(3), isParent: true },
      { sku: 'SKU-000003-BLACK' },
      { sku: 'SKU-000003-WHITE' },
      { sku: 'SKU-000003-RED' },
    ]);
  });

  test('with SKUs that are too long for the batch, which only its archived request has', async () => {
    const sku = 'S'.repeat(201);
    const { externalId } = namesOf(1);
    const { names = [], ...submission } = ended().submission ?? {};
    const batch = ended({
      submission: { ...submission, names: [{ externalId }, ...names.slice(1)] } as never,
    });
    const [created] = await queued(batch, [{ ...simpleProduct(1), sku }, simpleProduct(2)]);
    expect(created?.products).toEqual([{ externalId, sku }]);
  });

  test('but not if it created none', async () => {
    expect(await queued(ended({ state: 'failed' }))).toEqual([]);
  });
});
