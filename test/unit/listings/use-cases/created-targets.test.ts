import { describe, expect, test } from 'vitest';
import type { BatchRecord } from '../../../../shared/batches/model.ts';
import { createdTargets, hasCreated } from '../../../../shared/listings/use-cases/rearm.ts';
import { externalIdOf, simpleProduct, variantProduct } from '../../../run/catalog.ts';

const batch = (some: Partial<BatchRecord>) => ({ rejectedRows: [], ...some }) as BatchRecord;

describe('createdTargets', () => {
  test('returns the names of accepted products and of their variants', () => {
    const rejectedRows = [{ rowIndex: 1, code: 'VAL_001', message: 'no' }];
    const sent = [simpleProduct(1), simpleProduct(2), variantProduct(3)];
    expect(createdTargets(batch({ rejectedRows }), sent)).toEqual([
      `externalId:${externalIdOf(1)}`,
      'sku:SKU-000001',
      `externalId:${externalIdOf(3)}`,
      'sku:SKU-000003-BLACK',
      'sku:SKU-000003-WHITE',
      'sku:SKU-000003-RED',
    ]);
  });
});

describe('hasCreated', () => {
  test.each([
    ['catalog-sync', 'completed', true],
    ['product-create-variants', 'completed_with_errors', true],
    ['catalog-sync', 'unresolved', true],
    ['catalog-sync', 'submitted', false],
    ['catalog-sync', 'failed', false],
    ['stock', 'completed', false],
  ] as const)('returns for a %s batch that is %s: %s', (kind, state, created) => {
    expect(hasCreated(batch({ kind, state }))).toBe(created);
  });
});
