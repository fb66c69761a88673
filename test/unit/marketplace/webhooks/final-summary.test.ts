import { describe, expect, it } from 'vitest';
import { finalSummary } from '../../../../shared/marketplace/webhooks/final-summary.ts';

const ROWS = {
  acceptedRows: [{ rowIndex: 0, externalId: 'e-0', sku: 'A' }],
  errors: [{ rowIndex: 1, code: 'PRD_002', message: 'exists' }],
};

describe('a final summary', () => {
  it('is read at the top level', () => {
    const body = {
      event: 'catalog.sync.completed',
      batchId: 'b-1',
      requestId: 'r-1',
      storeClientId: 'store-1wh',
      timestamp: '2026-01-01T00:00:00.000Z',
      summary: { total: 2, failed: 1, pending: 0 },
      ...ROWS,
    };
    expect(finalSummary.parse(body)).toMatchObject(body);
  });

  it('has no batch by a number that JSON readers change: another batch may have the same one', () => {
    const [one, other] = ['90071992547409931', '90071992547409935'].map((id) =>
      finalSummary.parse(
        JSON.parse(`{"batchId":${id},"requestId":"r-1","storeClientId":${id},"summary":{"total":1}}`),
      ),
    );
    expect(one).toMatchObject({ batchId: undefined, requestId: 'r-1', storeClientId: undefined });
    expect(other?.batchId).toBeUndefined();
    expect(finalSummary.parse({ batchId: 9_007_199_254_740_991 }).batchId).toBe('9007199254740991');
  });

  it('is read under data', () => {
    const data = { batchId: 'b-1', summary: { total: 2, failed: 1, pending: 0 }, ...ROWS };
    expect(finalSummary.parse({ data })).toMatchObject(data);
  });

  it.each(['Catalog sync completed', [{}], 3])(
    'has its counts under data when it has %j beside it',
    (summary) => {
      const data = { batchId: 'b-1', summary: { total: 2, failed: 1, pending: 0 } };
      expect(finalSummary.parse({ summary, data })).toMatchObject(data);
    },
  );

  it.each([
    ['deletions', { total: 3, succeeded: 2, failed: 1 }, { total: 3, failed: 1, pending: 0 }],
    ['dropoffs', { total: 3, accepted: 2, skipped: 1 }, { total: 3, failed: 1, pending: 0 }],
    ['no total', { succeeded: 2, failed: 1 }, { total: 3, failed: 1, pending: 0 }],
    ['numbers as text', { total: '3', failed: '1', pending: '2' }, { total: 3, failed: 1, pending: 2 }],
    ['no fields', {}, { total: 1, failed: 1, pending: 0 }],
    ['failed and skipped rows', { failed: 1, skipped: 1 }, { total: 2, failed: 2, pending: 0 }],
    ['a failure that is no number', { total: 3, failed: 'two' }, { total: 0, failed: 1, pending: 0 }],
  ])('has uniform counts when it comes with the counts of %s', (_, summary, expected) => {
    expect(finalSummary.parse({ batchId: 'b-1', summary, ...ROWS }).summary).toEqual(expected);
  });

  it('that denies success counts no row, so that it settles only those that it names', () => {
    const body = { batchId: 'b-1', success: false, summary: { total: 3, failed: 0, pending: 0 } };
    expect(finalSummary.parse(body).summary).toEqual({ total: 0, failed: 0, pending: 0 });
    expect(finalSummary.parse({ success: false, data: body }).summary).toMatchObject({ total: 0 });
    expect(finalSummary.parse({ batchId: 'b-1', data: body }).summary).toMatchObject({ total: 0 });
    expect(finalSummary.parse({ ...body, success: 'false' }).summary).toMatchObject({ total: 0 });
    expect(finalSummary.parse({ ...body, success: true, error: { message: 'no' } }).summary.total).toBe(0);
    expect(finalSummary.parse({ ...body, success: true }).summary).toMatchObject({ total: 3 });
  });

  it('counts a row with several errors once when it has no counts', () => {
    const errors = ['NAME_MISSING', 'PRICE_MISSING'].map((code) => ({ rowIndex: 1, sku: 'B', code }));
    const { summary } = finalSummary.parse({ batchId: 'b-1', ...ROWS, errors });
    expect(summary).toEqual({ total: 1, failed: 1, pending: 0 });
  });

  it('has the errors and accepted rows of both places, and the counts that settle fewer rows', () => {
    const data = {
      summary: { total: 3, failed: 2 },
      successItems: [{ rowIndex: 2 }],
      errors: [{ rowIndex: 0, code: 'E' }],
    };
    const both = finalSummary.parse({ batchId: 'b-1', summary: { total: 4, failed: 0 }, ...ROWS, data });
    expect(both.summary).toEqual({ total: 3, failed: 2, pending: 0 });
    expect(both.errors.map(({ rowIndex }) => rowIndex)).toEqual([1, 0]);
    expect(both.acceptedRows.map(({ rowIndex }) => rowIndex)).toEqual([0, 2]);
  });

  it('has its successItems as accepted rows', () => {
    const { acceptedRows } = finalSummary.parse({ batchId: 'b-1', successItems: [{ id: 'p-1' }] });
    expect(acceptedRows).toEqual([{ id: 'p-1' }]);
  });

  it('may name its batch by a number', () => {
    expect(finalSummary.parse({ batchId: 17 }).batchId).toBe('17');
  });

  it.each(['a/b', '..', '.', 'request:1', 'x'.repeat(501)])(
    'has a digest for a batch ID that no path or key can hold: %.10s',
    (batchId) => {
      expect(finalSummary.parse({ batchId }).batchId).toMatch(/^sha256:[0-9a-f]{64}$/);
    },
  );

  it.each(['a/b', 'request:1'])('names the store %s as it is written', (storeClientId) => {
    expect(finalSummary.parse({ batchId: 'b-1', storeClientId }).storeClientId).toBe(storeClientId);
  });

  it.each([null, [], 'text', 1, {}, { hello: 'world' }, { data: [] }])('is refused: %j', (body) => {
    expect(finalSummary.safeParse(body).success).toBe(false);
  });
});
