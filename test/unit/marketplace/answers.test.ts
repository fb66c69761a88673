import { describe, expect, it } from 'vitest';
import { isRowRetryable, rowError, rowErrors } from '../../../shared/marketplace/batch.ts';
import { MarketplaceError } from '../../../shared/marketplace/errors.ts';
import type { TransportResponse } from '../../../shared/marketplace/transport.ts';
import { answer, clientAnswering, refusal, STORE } from './fake-transport.ts';

const ITEMS = { items: [{ sku: 'A-1', stock: 5 }] };

/** The error of a client that gets this answer to each request. */
async function failureOf(response: TransportResponse): Promise<MarketplaceError> {
  const error = await clientAnswering([response, response])
    .client.updateStocks(STORE, ITEMS)
    .catch((thrown: unknown) => thrown);
  if (error instanceof MarketplaceError) return error;
  throw new Error('the call did not fail', { cause: error });
}

describe('an error envelope', () => {
  it.each([
    ['AUTH_003', 401, false, 'refused'],
    ['AUTH_011', 401, false, 'refused'],
    ['AUTH_014', 403, false, 'refused'],
    ['VAL_001', 400, false, 'refused'],
    ['PRD_014', 404, false, 'refused'],
    ['WAREHOUSE_013', 409, false, 'refused'],
    ['STORE_021', 409, false, 'refused'],
    ['ORDER_021', 409, false, 'refused'],
    ['ORDER_026', 422, false, 'refused'],
    ['SYS_DEP_503', 503, true, 'refused'],
    ['SYS_UPS_001', 504, true, 'unknown'],
    ['RATE_LIMITED', 429, true, 'refused'],
    ['NEW_CODE', 400, false, 'refused'],
    ['NEW_CODE', 500, true, 'unknown'],
  ])('%s with status %i gives retryable %s, outcome %s', async (code, status, retryable, outcome) => {
    const error = await failureOf(refusal(status, code));
    expect(error).toMatchObject({ code, status, retryable, outcome, requestId: 'r-1' });
  });

  it.each([200, 400, 500])('is judged by its code and not by its status: VAL_001 with %i', async (status) => {
    expect(await failureOf(refusal(status, 'VAL_001'))).toMatchObject({
      retryable: false,
      outcome: 'refused',
    });
  });

  it('states itself whether it is retryable', async () => {
    expect(await failureOf(refusal(504, 'SYS_UPS_001', { retryable: false }))).toMatchObject({
      retryable: false,
    });
    expect(await failureOf(refusal(400, 'NEW_CODE', { retryable: true }))).toMatchObject({ retryable: true });
  });

  it('has a context that is parsed when the spec defines it, and kept otherwise', async () => {
    const error = await failureOf(
      refusal(422, 'ORDER_026', {
        summary: { total: 1, accepted: 0, skipped: 1 },
        errors: [{ orderId: 'o-1', reason: 'STATUS_NOT_ALLOWED', message: 'cancelled' }],
        validationErrors: { 'area.postalCode': 'must have 5 digits' },
        allowedSubstatuses: ['confirmed'],
        novelty: { kept: true },
      }),
    );
    expect(error.context).toMatchObject({
      summary: { total: 1, accepted: 0, skipped: 1 },
      errors: [{ orderId: 'o-1', code: 'STATUS_NOT_ALLOWED' }],
      validationErrors: { 'area.postalCode': 'must have 5 digits' },
      allowedSubstatuses: ['confirmed'],
      novelty: { kept: true },
    });
  });

  it('has no row errors when one of them can not be read, so that its row does not count as accepted', async () => {
    const errors = [{ orderId: 'o-1', reason: 'STATUS_NOT_ALLOWED' }, null];
    const { code, context } = await failureOf(refusal(422, 'ORDER_026', { errors }));
    expect(code).toBe('ORDER_026');
    expect(context?.errors).toBeUndefined();
  });

  it('with a context of another shape keeps its code', async () => {
    const error = await failureOf(refusal(400, 'VAL_001', { validationErrors: 'none', currentTime: 'noon' }));
    expect(error.code).toBe('VAL_001');
    expect(error.context).toMatchObject({ validationErrors: undefined, currentTime: undefined });
  });

  it.each([
    [1767225600000, 1767225600000],
    ['1767225600000', 1767225600000],
    [1767225600, 1767225600000],
    ['2026-01-01T00:00:00.000Z', 1767225600000],
  ])('may state its time as %j', async (currentTime, expected) => {
    const response = refusal(401, 'AUTH_014', { currentTime });
    expect((await failureOf(response)).context?.currentTime).toBe(expected);
  });
});

describe('a batch answer', () => {
  const batchOf = (body: unknown) => clientAnswering([answer(200, body)]).client.updateStocks(STORE, ITEMS);

  it('keeps ids, counts, rows and unknown fields', async () => {
    const batch = await batchOf({
      success: true,
      message: 'queued',
      requestId: 'r-1',
      meta: { timestamp: '2026-01-01T00:00:00.000Z', durationMs: 3, dispatch: true },
      data: {
        batchId: 'b-1',
        summary: { total: 2, failed: 1, pending: 1 },
        acceptedRows: [{ rowIndex: 0, target: 'product', id: 'p-1', novelty: 1 }],
        errors: [{ code: 'INV_001', message: 'Invalid SKU', rowIndex: 1, sku: 'B' }],
        novelty: true,
      },
    });
    expect(batch).toMatchObject({
      batchId: 'b-1',
      requestId: 'r-1',
      message: 'queued',
      meta: { dispatch: true },
      summary: { total: 2, failed: 1, pending: 1 },
      acceptedRows: [{ rowIndex: 0, novelty: 1 }],
      errors: [{ code: 'INV_001', rowIndex: 1 }],
      novelty: true,
    });
  });

  it('may lack everything but its success (§4.3 shows no answer)', async () => {
    expect(await batchOf({ success: true })).toMatchObject({ summary: {}, acceptedRows: [], errors: [] });
  });

  it('takes the request ID from data when the envelope has none (§4.17)', async () => {
    expect(await batchOf({ success: true, data: { requestId: 'r-2' } })).toMatchObject({ requestId: 'r-2' });
  });

  it('leaves out invalid rows', async () => {
    const data = { acceptedRows: [null, 'x', { rowIndex: 'one' }], errors: null, summary: { total: 'two' } };
    const batch = await batchOf({ success: true, data });
    expect(batch.acceptedRows).toEqual([{}]);
    expect(batch.errors).toEqual([]);
    expect(batch.summary).toEqual({});
  });

  it.each([{}, null, { success: false }, { success: true, data: 'queued' }])(
    'is refused with outcome unknown: %j',
    async (body) => {
      await expect(batchOf(body)).rejects.toMatchObject({ code: 'ANSWER_UNEXPECTED', outcome: 'unknown' });
    },
  );
});

describe('a row error', () => {
  it.each([
    [{ code: 'INV_001', details: { retryable: true } }, true],
    [{ code: 'INV_001', details: { retryable: false } }, false],
    [{ code: 'INV_001' }, false],
    [{ code: 'NEW_CODE', details: { retryable: 'yes' } }, false],
  ])('is read from %j with retryable %s', (row, retryable) => {
    expect(isRowRetryable(rowError.parse(row))).toBe(retryable);
  });

  it('may have its code in any case', () => {
    expect(rowError.parse({ reason: 'STATUS_NOT_ALLOWED' }).code).toBe('STATUS_NOT_ALLOWED');
    expect(rowError.parse({}).code).toBe('UNKNOWN');
  });

  it('with a long text is cut, and keeps whether it is retryable', () => {
    const details = { retryable: true, context: { reason: 'R', all: 'x'.repeat(3000) } };
    const row = rowError.parse({ code: 'C', message: 'm'.repeat(5000), details });
    expect(row.message).toBe('m'.repeat(1000));
    expect(row.details).toEqual({ retryable: true, isCut: true });
    expect(isRowRetryable(row)).toBe(true);
    const short = { retryable: false, context: { reason: 'R', more: 'x'.repeat(1000) } };
    expect(rowError.parse({ details: short }).details).toEqual(short);
  });

  it.each([
    ['details', 100, { code: 'C', details: { retryable: true, context: { all: 'x'.repeat(1900) } } }],
    [
      'details',
      1000,
      { code: 'C', message: 'm'.repeat(60), details: { retryable: true, more: 'x'.repeat(200) } },
    ],
    ['messages', 1000, { code: 'C', message: 'm'.repeat(1000), details: { retryable: true } }],
  ])(
    'loses %s only when all %i of them are too long for a record, and the longest first',
    (_, count, row) => {
      const rows = Array.from({ length: count }, (_row, rowIndex) => ({
        rowIndex,
        sku: `S-${rowIndex}`,
        ...row,
      }));
      const [first, ...others] = [{ rowIndex: 0, code: 'C', message: 'm' }, ...rows];
      const kept = rowErrors.parse([first, ...others]);
      expect(kept[0]).toEqual(first);
      expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(200_000);
      expect(kept.slice(1)).toEqual(
        rows.map(({ rowIndex, sku, code }) => expect.objectContaining({ rowIndex, sku, code })),
      );
      expect(kept.slice(1).every(isRowRetryable)).toBe(true);
      const few = rows.slice(0, 90);
      expect(rowErrors.parse(few)).toEqual(few);
    },
  );
});
