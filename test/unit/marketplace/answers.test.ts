import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { batchAnswer, isRowRetryable, rowError, rowErrors } from '../../../shared/marketplace/batch.ts';
import { MarketplaceError } from '../../../shared/marketplace/errors.ts';
import type { TransportResponse } from '../../../shared/marketplace/transport.ts';
import { answer, clientAnswering, NOW, refusal, STORE } from './fake-transport.ts';

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
    expect(error.timestamp).toBeUndefined();
  });

  it.each([200, 400, 500])('is judged by its code and not by its status: VAL_001 with %i', async (status) => {
    expect(await failureOf(refusal(status, 'VAL_001'))).toMatchObject({
      retryable: false,
      outcome: 'refused',
    });
  });

  it.each(['text/plain', 'text/html; charset=utf-8'])('is read under the content type %s', async (type) => {
    const error = refusal(401, 'AUTH_010');
    const headers = { ...error.headers, 'content-type': type };
    expect(await failureOf({ ...error, headers })).toMatchObject({ code: 'AUTH_010', status: 401 });
  });

  it('has the time of the marketplace that it names', async () => {
    expect(await failureOf(refusal(400, 'VAL_001', {}))).toMatchObject({
      timestamp: new Date(NOW).toISOString(),
    });
  });

  it('states itself whether it is retryable', async () => {
    expect(await failureOf(refusal(504, 'SYS_UPS_001', { retryable: false }))).toMatchObject({
      retryable: false,
    });
    expect(await failureOf(refusal(400, 'NEW_CODE', { retryable: true }))).toMatchObject({ retryable: true });
  });

  it.each(['VAL_001', 'AUTH_003', 'PRD_014'])('with %s is final, whatever it states', async (code) => {
    expect(await failureOf(refusal(400, code, { retryable: true }))).toMatchObject({ retryable: false });
  });

  it.each(['constructor', '__proto__'])('may have the code %s', async (code) => {
    expect(await failureOf(refusal(400, code))).toMatchObject({ retryable: false, outcome: 'refused' });
  });

  it('may have a number as its requestId, by which a summary of the request is found', async () => {
    const error = { code: 'SYS_UPS_001', message: 'no' };
    expect(await failureOf(answer(504, { error, requestId: 17 }))).toMatchObject({ requestId: '17' });
  });

  it('is cut to texts that records and events can hold', async () => {
    const long = 'x'.repeat(400_000);
    const error = { code: long, message: long, details: { hint: long } };
    const { code, message, hint, requestId } = await failureOf(answer(400, { error, requestId: long }));
    const cut = 'x'.repeat(1000);
    expect({ code, message, hint, requestId }).toEqual({
      code: cut,
      message: cut,
      hint: cut,
      requestId: cut,
    });
  });

  it.each([
    ['30', 30_000],
    ['Sun, 06 Nov 1994 08:49:47 GMT', 10_000],
    ['Sunday, 06-Nov-94 08:50:37 GMT', 60_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['99999999999', undefined],
    ['Mon, 01 Sep 275760 00:00:00 GMT', undefined],
  ])('with Retry-After: %s asks for a pause of %s ms', async (retryAfter, retryAfterMs) => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    const limited = refusal(429, 'RATE_LIMITED', undefined, { 'retry-after': retryAfter, date });
    expect((await failureOf(limited)).retryAfterMs).toBe(retryAfterMs);
  });

  it('has no pause when neither Retry-After nor its own date says how long', async () => {
    const limited = refusal(429, 'RATE_LIMITED', undefined, {
      'retry-after': 'Sun, 06 Nov 1994 08:49:47 GMT',
    });
    expect((await failureOf(limited)).retryAfterMs).toBeUndefined();
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

describe('an error with the text of an answer that was not expected stays short, and readable:', () => {
  const read = async (response: TransportResponse) => {
    const { client } = clientAnswering([response, response, response]);
    const error = await client.listProducts(STORE).catch((thrown: unknown) => thrown);
    if (error instanceof MarketplaceError) return error;
    throw new Error('the call did not fail', { cause: error });
  };
  const pagination = { page: 1, limit: 50, total: 1, totalPages: 1, hasNext: false, hasPrev: false };
  const page = (data: readonly unknown[]) => answer(200, { success: true, data, pagination });

  it.each([3, 100, 10_000])('%i products whose price has become a text', async (count) => {
    const { code, message } = await read(page(Array(count).fill({ id: 'p-1', price: '12.00' })));
    expect(code).toBe('ANSWER_UNEXPECTED');
    expect(message).toContain('expected number, received string');
    expect(message).toContain(`data[${Math.min(count, 10) - 1}].price`);
    expect(message).not.toContain('data[10]');
    expect(message.endsWith('and perhaps more')).toBe(count > 3);
    expect(message.length).toBeLessThanOrEqual(1000);
  });

  it('a type of the content, and the address of a redirect', async () => {
    const long = 'x'.repeat(50_000);
    const type = await read({ ...page([]), headers: { 'content-type': long } });
    const redirect = await read({ ...page([]), status: 302, headers: { location: long } });
    expect(type.message.length).toBeLessThan(300);
    expect(redirect.message).toContain('xxx, which is not followed');
    expect(redirect.message.length).toBeLessThan(300);
  });

  it('the problems of a refused body', async () => {
    const long = 'x'.repeat(400);
    const problems = Array.from({ length: 60 }, (_, field) => [`${field}`, field === 0 ? long : 'no']);
    const { context } = await read(
      refusal(400, 'VAL_001', { validationErrors: Object.fromEntries(problems) }),
    );
    expect(Object.keys(context?.validationErrors ?? {})).toHaveLength(50);
    expect(context?.validationErrors).toMatchObject({ 0: 'x'.repeat(300), 49: 'no' });
  });

  it('a request that breaks a rule in each of its rows', async () => {
    const items = Array.from({ length: 1000 }, () => ({ sku: 'A', stock: 0.5 }));
    const { client } = clientAnswering([]);
    const error = (await client.updateStocks(STORE, { items }).catch((thrown) => thrown)) as MarketplaceError;
    expect(error.message).toContain('items[9].stock');
    expect(error.message).not.toContain('items[10].stock');
  });

  it('the ID of an onboarding session', async () => {
    const body = { onboardUrl: 'https://m.example', sid: 'x'.repeat(201) };
    const begun = clientAnswering([answer(200, body)]).client.createOnboardSession({
      redirectUri: 'https://p.example',
    });
    await expect(begun).rejects.toMatchObject({ code: 'ANSWER_UNEXPECTED' });
  });
});

test('an answer that is compressed is read as any other', async () => {
  const whole = answer(200, { success: true, data: { batchId: 'b-1' } });
  const headers = { ...whole.headers, 'content-encoding': 'gzip' };
  const { client } = clientAnswering([{ ...whole, headers, body: gzipSync(whole.body) }]);
  expect(await client.updateStocks(STORE, ITEMS)).toMatchObject({ batchId: 'b-1' });
});

test('of a list of accepted rows longer than that of any request, the rest is not read', () => {
  const rows = Array.from({ length: 100_002 }, (_, rowIndex) => ({ rowIndex }));
  const { acceptedRows } = batchAnswer.parse({ success: true, data: { acceptedRows: rows } });
  expect(acceptedRows).toHaveLength(100_001);
  expect(acceptedRows.slice(-2)).toEqual([{ rowIndex: 99_999 }, {}]);
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

  it('may lack everything but an ID (§4.3 shows no answer)', async () => {
    expect(await batchOf({ success: true, data: { batchId: 'b' } })).toMatchObject({
      summary: {},
      acceptedRows: [],
      errors: [],
    });
  });

  it('takes the request ID from data when the envelope has none (§4.17)', async () => {
    expect(await batchOf({ success: true, data: { requestId: 'r-2' } })).toMatchObject({ requestId: 'r-2' });
  });

  it('has invalid accepted rows as rows without a name', async () => {
    const data = { acceptedRows: [null, 'x', { rowIndex: 'one' }], errors: null };
    const batch = await batchOf({ success: true, data });
    expect(batch.acceptedRows).toEqual([{}, {}, { rowIndex: undefined }]);
    expect(batch.errors).toEqual([]);
  });

  it('counts no row when its counts are invalid', async () => {
    const { summary } = await batchOf({ success: true, data: { summary: { total: 2, failed: 'two' } } });
    expect(summary).toEqual({ total: 0 });
  });

  it.each([{}, null, { success: false }, { success: true, data: 'queued' }])(
    'is refused with outcome unknown: %j',
    async (body) => {
      await expect(batchOf(body)).rejects.toMatchObject({ code: 'ANSWER_UNEXPECTED', outcome: 'unknown' });
    },
  );
});

test.each([
  { success: false, data: { updatedFields: ['name'] } },
  { success: true, data: { success: false } },
  { success: true, data: {}, error: { message: 'no' } },
  { success: true, data: { error: 'no' } },
  { message: 'no' },
])(
  'an answer to an update that denies success, or does not tell, has the outcome unknown: %j',
  async (body) => {
    const productId = 'aaaaaaaa-0000-4000-8000-00000000000a';
    const { client } = clientAnswering([answer(200, body)]);
    await expect(client.updateProduct(STORE, { productId, changes: { name: 'A' } })).rejects.toMatchObject({
      code: 'ANSWER_UNEXPECTED',
      outcome: 'unknown',
    });
  },
);

test.each([{}, { data: null }, { data: [] }, { data: { skippedFields: ['sku'] } }])(
  'an answer to an update that only tells its success is taken: %j',
  async (rest) => {
    const productId = 'aaaaaaaa-0000-4000-8000-00000000000a';
    const { client } = clientAnswering([answer(200, { success: true, ...rest })]);
    const updated = client.updateProduct(STORE, { productId, changes: { name: 'A' } });
    await expect(updated).resolves.toMatchObject({ success: true });
  },
);

test.each([
  ['beside the envelope', { errors: [{ orderId: 'o-1', reason: 'TOO_LATE' }] }],
  ['under data', { data: { errors: [{ orderId: 'o-1', reason: 'TOO_LATE' }] } }],
])('an answer to decisions with errors %s has them as row errors', async (_, errors) => {
  const { client } = clientAnswering([answer(200, { success: true, message: 'ok', ...errors })]);
  const items = [{ orderId: '00000000-0000-4000-8000-000000000001', decision: 'accept' as const }];
  const read = await client.decideOrders(STORE, { items });
  expect(read.errors ?? read.data?.errors).toMatchObject([{ orderId: 'o-1', code: 'TOO_LATE' }]);
});

test.each([{}, { id: 7, externalId: 7, hasVariants: null, updatedFields: null }])(
  'an answer to an update is read with missing fields, and with fields of other types: %j',
  async (data) => {
    const { client } = clientAnswering([answer(200, { success: true, data })]);
    const changes = { name: 'New' };
    const productId = '00000000-0000-4000-8000-000000000001';
    expect(await client.updateProduct(STORE, { productId, changes })).toMatchObject({
      data: { updatedFields: [] },
    });
  },
);

test.each([{}, { clientId: null }])(
  'a warehouse without a clientId leaves the other warehouses and the product readable: %j',
  async (unnamed) => {
    const both = [{ clientId: 'wh-1', stock: 5 }, unnamed];
    const product = { id: 'p-1', warehouses: both, variants: { items: [{ sku: 'A-1', warehouses: both }] } };
    const { client } = clientAnswering([
      answer(200, { success: true, data: both }),
      answer(200, { success: true, data: product }),
    ]);
    expect((await client.listWarehouses(STORE)).data).toEqual(both);
    expect((await client.getProduct(STORE, { productId: 'p-1' })).data).toEqual(product);
  },
);

test.each([{}, { data: null }, { data: [] }, { data: { status: null } }])(
  'an answer to an unbinding that only tells its success is taken: %j',
  async (rest) => {
    const { client } = clientAnswering([answer(200, { success: true, ...rest })]);
    await expect(client.unbindStore({ storeClientId: 's-1' })).resolves.toMatchObject({ success: true });
  },
);

test.each([{ success: false, data: {} }, { success: true, data: { error: 'no' } }, { message: 'no' }])(
  'an answer to an unbinding that denies success, or does not tell, has the outcome unknown: %j',
  async (body) => {
    const { client } = clientAnswering([answer(200, body)]);
    await expect(client.unbindStore({ storeClientId: 's-1' })).rejects.toMatchObject({ outcome: 'unknown' });
  },
);

test('a new warehouse may have no clientId yet', async () => {
  const { client } = clientAnswering([answer(200, { success: true, data: { id: 'w-1', clientId: null } })]);
  const ID = '00000000-0000-4000-8000-000000000001';
  const place = { provinceId: ID, cityId: ID, districtId: ID, subDistrictId: ID, postalCode: '12190' };
  const area = { ...place, latitude: '-6.2', longitude: '106.8', address: 'Jalan 1' };
  const warehouse = { externalId: ID, warehouseName: 'Main', isMain: true, phone: '+62', area };
  await expect(client.createWarehouse(STORE, warehouse)).resolves.toMatchObject({ data: { id: 'w-1' } });
});

describe('a row error', () => {
  it.each([
    [{ code: 'INV_001', details: { retryable: true } }, true],
    [{ code: 'INV_001', details: { retryable: false } }, false],
    [{ code: 'INV_001' }, false],
    [{ code: 'NEW_CODE', details: { retryable: 'yes' } }, false],
    [{ code: 'NEW_CODE', details: { context: { retryable: true } } }, true],
    [{ code: 'NEW_CODE', details: { retryable: false, context: { retryable: true } } }, false],
    [{ code: 'SYS_UPS_001' }, true],
    [{ code: 'SYS_DEP_503', details: { context: { operation: 'stock' } } }, true],
    [{ code: 'SYS_DEP_503', details: { retryable: false } }, false],
  ])('is read from %j with retryable %s', (row, retryable) => {
    expect(isRowRetryable(rowError.parse(row))).toBe(retryable);
  });

  it('may have its code in any case', () => {
    expect(rowError.parse({ reason: 'STATUS_NOT_ALLOWED' }).code).toBe('STATUS_NOT_ALLOWED');
    expect(rowError.parse({}).code).toBe('UNKNOWN');
  });

  it('with a name or a code longer than any of ours stays small enough to be stored', () => {
    const long = 'x'.repeat(500_000);
    const row = rowError.parse({ code: long, reason: long, sku: long, id: 'p-1', rowIndex: 1 });
    expect(row).toEqual({ code: 'x'.repeat(1000), reason: 'x'.repeat(1000), id: 'p-1', rowIndex: 1 });
  });

  it('is never cut in the middle of a character', () => {
    const row = rowError.parse({ code: 'C', message: `${'m'.repeat(999)}😀` });
    expect(row.message).toBe(`${'m'.repeat(999)}\ufffd`);
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

  it('that are more than any request has rows are cut off, and one error without a row stands for the rest', () => {
    const rows = Array.from({ length: 20_000 }, (_, rowIndex) => ({ code: 'C', message: 'no', rowIndex }));
    const kept = rowErrors.parse(rows);
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(400_100);
    const last = kept.length - 1;
    expect(kept.slice(0, last)).toEqual(rows.slice(0, last));
    expect(kept[last]).toEqual({ code: 'UNKNOWN', message: `${20_000 - last} more errors` });
    const whole = Array.from({ length: 1000 }, (_, rowIndex) => ({
      code: 'PRD_002',
      message: 'm'.repeat(300),
      rowIndex,
      sku: `sku-${rowIndex}`.padEnd(100, 'x'),
      externalId: '00000000-0000-4000-8000-000000000000',
    }));
    expect(rowErrors.parse(whole)).toHaveLength(1000);
  });
});
