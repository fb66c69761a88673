import { describe, expect, it } from 'vitest';
import { externalId, useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();
const DELETE = 'POST /partner/stores/products/deletions';

describe('deletions', () => {
  it('name what was deleted and what was not', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', { externalId: externalId(1), sku: 'A' });
    const { status, json } = await sandbox.call(DELETE, { body: { ids: [externalId(9), id] } });
    expect(status).toBe(200);
    expect(json.meta.dispatch).toBe(false);
    expect(json.data).toMatchObject({
      summary: { total: 2, succeeded: 1, failed: 1 },
      successItems: [{ id, externalId: externalId(1) }],
      errors: [{ code: 'PRD_014', rowIndex: 0, id: externalId(9) }],
    });
    expect(await sandbox.live('store-0wh')).toEqual([]);
    expect((await sandbox.call('GET /partner/stores/products/sku/A')).status).toBe(404);
  });

  it('fail each ID that is no UUID by itself', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', { externalId: externalId(1) });
    const { json } = await sandbox.call(DELETE, { body: { ids: ['x', 5, null, id] } });
    const refused = { code: 'VAL_001', details: { retryable: false, context: { reason: 'INVALID_ROW' } } };
    expect(json.data).toMatchObject({
      summary: { total: 4, succeeded: 1, failed: 3 },
      errors: [
        { ...refused, rowIndex: 0, id: 'x' },
        { ...refused, rowIndex: 1 },
        { ...refused, rowIndex: 2 },
      ],
    });
  });

  it('free the external ID for another import', async () => {
    const product = { externalId: externalId(1) };
    const [{ id }] = await sandbox.seed('store-0wh', product);
    await sandbox.call(DELETE, { body: { ids: [id] } });
    expect(await sandbox.seed('store-0wh', product)).toHaveLength(1);
  });

  it('do not reach into another store', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', { sku: 'A' });
    const { json } = await sandbox.call(DELETE, { store: 'store-1wh', body: { ids: [id] } });
    expect(json.data.summary.failed).toBe(1);
    expect(await sandbox.live('store-0wh')).toHaveLength(1);
  });

  it.each([{}, { ids: [] }])('are VAL_001 for the body %j', async (body) => {
    const { status, json } = await sandbox.call(DELETE, { body });
    expect([status, json.error.code]).toEqual([400, 'VAL_001']);
    expect(json.error.details.context.validationErrors.ids).toMatch(/at least one ID is required/i);
  });
});
