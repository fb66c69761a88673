import { describe, expect, test } from 'vitest';
import { simpleProduct, variantProduct } from '../../../local/run/catalog.ts';
import { processSummary } from '../../../shared/batches/use-cases/process-summary.ts';
import { recordSummary } from '../../../shared/batches/use-cases/record-batch.ts';
import { inMemorySummaryArchive } from '../../doubles/in-memory-summary-archive.ts';
import { finalSummary } from '../batches/batch-facts.ts';
import { fail } from '../support/failure.ts';
import { accept, setUpBulk } from './bulk-setup.ts';
import { cut, NOW } from './update-setup.ts';

const HOUR_MS = 3_600_000;
const products = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => simpleProduct(from + index));
const idOf = (product: object) => (product as { externalId: string }).externalId;
const refusal = (rowIndex: number, code = 'CAT_001') => ({
  code,
  message: code,
  rowIndex,
  details: { retryable: false },
});

describe('products to create', () => {
  test('are sent in one request per kind and shape, across commands', async () => {
    const { give, command, sent, batches } = setUpBulk();
    await give(
      command({ commandId: 'a', products: [simpleProduct(1), variantProduct(2)] }),
      command({ commandId: 'b', products: [simpleProduct(3)] }),
      command({ commandId: 'c', detailType: 'catalog.sync.requested', products: [simpleProduct(4)] }),
    );
    expect(sent.map(({ call, rows }) => [call, rows.length])).toEqual([
      ['createProducts', 2],
      ['createVariantProducts', 1],
      ['syncCatalog', 1],
    ]);
    expect(batches()[0]?.submission?.origins).toMatchObject([
      { commandId: 'a', productIndex: 0 },
      { commandId: 'b', productIndex: 0 },
    ]);
    expect(batches().map(({ kind, state }) => [kind, state])).toEqual([
      ['product-create', 'completed'],
      ['product-create-variants', 'completed'],
      ['catalog-sync', 'submitted'],
    ]);
  });

  test('have their request noted before its first try: a summary by their products ends it when the answer is lost', async () => {
    const { give, command, sweep, ports, batches, time } = setUpBulk(Array(12).fill(cut));
    const [one = {}, two = {}] = products(2);
    await give(command({ detailType: 'catalog.sync.requested', products: [one, two] }));
    time.now += 2 * HOUR_MS;
    await sweep();
    expect(batches()).toMatchObject([{ state: 'submitted', rows: { unknown: 2 } }]);
    const named = [one, two].map((product) => ({ externalId: idOf(product) }));
    const summary = { total: 2, failed: 0, pending: 0 };
    const body = { batchId: 'b-lost', storeClientId: 's-1', summary, acceptedRows: named };
    const archive = inMemorySummaryArchive();
    await processSummary(
      { ...ports, archive },
      { body: JSON.stringify(body), receivedAt: new Date(time.now).toISOString() },
    );
    expect(batches()).toContainEqual(expect.objectContaining({ kind: 'catalog-sync', state: 'completed' }));
  });

  test('are sent with their external ID as given', async () => {
    const { give, command, sent } = setUpBulk();
    const externalId = idOf(simpleProduct(1)).replace(/^.{8}/, 'ABCDEFAB');
    await give(command({ products: [{ ...simpleProduct(1), externalId }] }));
    expect(sent[0]?.rows).toMatchObject([{ externalId }]);
  });

  test.each([{}, { data: null }, { data: {} }])(
    'are unknown until they are read back when the answer tells nothing of them: %j',
    async (body) => {
      const { give, command, batches } = setUpBulk([() => ({ success: true, requestId: 'r', ...body })]);
      await give(command({ products: products(2) }));
      expect(batches()).toMatchObject([{ state: 'submitted', rows: { sent: 2, accepted: 0, unknown: 2 } }]);
    },
  );

  test.each([
    ['externalId', (first: object) => ({ ...simpleProduct(2), externalId: idOf(first).toUpperCase() })],
    ['sku', (first: object) => ({ ...simpleProduct(2), sku: (first as { sku: string }).sku })],
  ])('are rejected when an earlier row of the command has their %s', async (field, again) => {
    const first = simpleProduct(1);
    const { give, command, sent, rejected } = setUpBulk();
    await give(command({ products: [first, simpleProduct(3), again(first)] }));
    expect(sent.map(({ rows }) => rows.length)).toEqual([2]);
    expect(rejected()).toMatchObject([
      {
        code: 'ROW_REPEATED',
        message: `row 2 has the same ${field} as row 0 of the command`,
        rowIndex: 2,
        field: `detail.products.2.${field}`,
        details: { firstRowIndex: 0 },
      },
    ]);
  });

  test('are created when only another command, or a rejected row of their own, has their externalId', async () => {
    const first = simpleProduct(1);
    const { give, command, sent, rejected } = setUpBulk();
    const broken = { ...first, price: 'free' };
    await give(
      command({ commandId: 'a', products: [broken, first] }),
      command({
        commandId: 'b',
        eventId: 'e-2',
        products: [first, { ...simpleProduct(2), sku: `${first.sku}x` }],
      }),
    );
    expect(sent.flatMap(({ rows }) => rows)).toHaveLength(3);
    expect(rejected()).toMatchObject([{ code: 'ROW_INVALID', rowIndex: 0 }]);
  });

  test('take ten requests when a thousand commands are received together', async () => {
    const { give, command, sent } = setUpBulk();
    const some = Array.from({ length: 1000 }, (_, index) =>
      command({ commandId: `c-${index}`, products: [simpleProduct(index)] }),
    );
    await give(...some);
    expect(sent.map(({ rows }) => rows.length)).toEqual(Array.from({ length: 10 }, () => 100));
  });

  test('are sent once each when the request size changes before a later delivery', async () => {
    const { give, command, sent, settings } = setUpBulk([
      accept('b-1'),
      fail({ code: 'SYS_DEP_503', retryable: true }),
    ]);
    settings.itemsPerRequest = 3;
    const long = command({ products: products(7) });
    await give(long);
    settings.itemsPerRequest = 5;
    await give(long);
    const skus = sent
      .filter((_, index) => index !== 1)
      .flatMap(({ rows }) => rows.map((row) => (row as { sku: string }).sku));
    expect(skus).toEqual(products(7).map(({ sku }) => sku));
  });

  test('are sent although the request before them is always refused for now', async () => {
    const { give, command, sent, settings } = setUpBulk([
      ...Array.from({ length: 6 }, () => fail({ code: 'SYS_DEP_503', status: 503, retryable: true })),
      accept('b-1'),
    ]);
    settings.itemsPerRequest = 2;
    const [end] = (await give(command({ products: products(4) }))).values();
    expect(end).toMatchObject({ error: { code: 'SYS_DEP_503' }, requests: [{ state: 'answered' }] });
    expect(sent.at(-1)?.rows).toMatchObject([{ sku: products(4)[2]?.sku }, { sku: products(4)[3]?.sku }]);
  });

  test('wait with all others of their command while no permit is free', async () => {
    const noPermit = fail({ code: 'LIMIT_REACHED', outcome: 'not-sent', retryable: true });
    const { give, command, sent, settings } = setUpBulk(Array.from({ length: 6 }, () => noPermit));
    settings.itemsPerRequest = 2;
    const [end] = (await give(command({ products: products(4) }))).values();
    expect(end).toMatchObject({ error: { code: 'LIMIT_REACHED' }, requests: [] });
    expect(sent).toHaveLength(6);
  });

  test('are not taken as sent when their request has expired before the plan of their command', async () => {
    const { give, command, ports } = setUpBulk([fail({ code: 'AUTH_014' })]);
    const waiting = command({ products: products(1) });
    await give(waiting);
    ports.requests.get = async () => undefined;
    const [end] = (await give(waiting)).values();
    expect(end).toMatchObject({ error: { code: 'REQUEST_NOT_KEPT', retryable: false } });
  });

  test('that break a rule are rejected individually, once', async () => {
    const { give, command, sent, rejected } = setUpBulk();
    const mixed = command({
      products: [simpleProduct(1), 'no object', { ...simpleProduct(2), price: 'free' }],
    });
    await give(mixed);
    await give(mixed);
    expect(sent.map(({ rows }) => rows)).toEqual([[simpleProduct(1)]]);
    expect(rejected()).toMatchObject([
      { code: 'ROW_NOT_OBJECT', rowIndex: 1, field: 'detail.products.1' },
      { code: 'ROW_INVALID', rowIndex: 2, field: 'detail.products.2.price', sku: simpleProduct(2).sku },
    ]);
  });

  test('that the marketplace refuses are the failed rows of their batch', async () => {
    const { give, command, batches } = setUpBulk([accept('b-1', [refusal(1)])]);
    await give(command({ products: products(3) }));
    expect(batches()).toMatchObject([
      {
        batchId: 'b-1',
        state: 'completed_with_errors',
        rows: { accepted: 2, rejected: 1 },
        rejectedRows: [{ rowIndex: 1 }],
      },
    ]);
  });

  test('stay unknown until a read-back when the answer counts failures without naming them', async () => {
    const { give, command, batches } = setUpBulk([accept('b-1', [], { failed: 2 })]);
    await give(command({ products: products(3) }));
    expect(batches()).toMatchObject([{ batchId: 'b-1', state: 'submitted', rows: { unknown: 3 } }]);
  });

  test('that are refused together are sent in halves, down to the invalid one', async () => {
    const bad = fail({ code: 'VAL_001', requestId: 'r-1' });
    const { give, command, sent, rejected } = setUpBulk([bad, bad, bad]);
    await give(command({ products: products(4) }));
    expect(sent.map(({ rows }) => rows.length)).toEqual([4, 2, 1, 1, 2]);
    expect(rejected()).toMatchObject([{ code: 'VAL_001', rowIndex: 0, details: { requestId: 'r-1' } }]);
  });
});

describe('products whose request had an unknown outcome', () => {
  test('count as created when a retry finds that they exist', async () => {
    const { give, command, batches } = setUpBulk([cut, accept('b-1', [refusal(0, 'PRD_002')])]);
    await give(command({ products: products(2) }));
    expect(batches()).toMatchObject([{ state: 'completed', rows: { accepted: 2 } }]);
  });

  test('count as failed when they exist and no outcome was unknown', async () => {
    const { give, command, batches } = setUpBulk([accept('b-1', [refusal(0, 'PRD_002')])]);
    await give(command({ products: products(2) }));
    expect(batches()).toMatchObject([{ state: 'completed_with_errors', rows: { rejected: 1 } }]);
  });

  test('are read back when the last one of them is refused alone', async () => {
    const { give, command, batches, rejected } = setUpBulk([cut, fail({ code: 'VAL_001' })]);
    await give(command({ products: products(1) }));
    expect(rejected()).toEqual([]);
    expect(batches()).toMatchObject([{ state: 'submitted', rows: { unknown: 1 } }]);
  });

  test('are read back as a separate overdue batch once their command is no longer delivered', async () => {
    const { give, command, batches, sweep, time } = setUpBulk(Array.from({ length: 6 }, () => cut));
    await give(command({ products: products(2) }));
    expect(batches()).toEqual([]);
    time.now += 2 * HOUR_MS;
    expect(await sweep()).toBe(1);
    expect(batches()).toMatchObject([{ kind: 'product-create', state: 'submitted', rows: { unknown: 2 } }]);
    expect(Date.parse(batches()[0]?.deadlineAt ?? '')).toBeLessThan(time.now);
    expect(await sweep()).toBe(0);
  });

  test('end by the summary that names the request of a try whose error answer left its outcome unknown', async () => {
    const late = fail({ code: 'SYS_UPS_001', outcome: 'unknown', retryable: false, requestId: 'r-lost' });
    const { give, command, batches, sweep, time, ports } = setUpBulk(Array(6).fill(late));
    await give(command({ detailType: 'catalog.sync.requested', products: products(1) }));
    time.now += 2 * HOUR_MS;
    expect(await sweep()).toBe(1);
    expect(batches()).toMatchObject([{ submission: { triedRequestIds: ['r-lost'] } }]);
    const summary = finalSummary({ summary: { total: 1, failed: 0, pending: 0 } });
    await recordSummary(ports, { requestId: 'r-lost' }, summary);
    const [{ batchId = '' } = {}] = batches();
    expect(batches()).toMatchObject([
      { state: 'completed', rows: { accepted: 1 } },
      { batchId: 'r-lost', state: 'matched', matchedTo: batchId },
    ]);
  });

  test('have one outcome each when half of them was refused at the last delivery', async () => {
    const { ports, give, command, batches, sweep, rejected, time } = setUpBulk([
      cut,
      fail({ code: 'VAL_001' }),
      accept('b-1'),
      ...Array.from({ length: 6 }, () => cut),
    ]);
    await give(command({ products: products(2) }));
    time.now += 2 * HOUR_MS;
    await sweep();
    const sentRows = await Promise.all(
      batches().map(async ({ submission }) => ports.archive.get(submission?.requestKey ?? '')),
    );
    expect(sentRows.flat()).toEqual(products(2));
    expect(rejected()).toEqual([]);
  });

  test('have one outcome each when the sender is killed during the split and nothing is redelivered', async () => {
    const { ports, give, command, batches, sweep, rejected, time } = setUpBulk([
      cut,
      fail({ code: 'VAL_001' }),
    ]);
    const { update } = ports.requests;
    let hasDied = false;
    Object.assign(ports.requests, {
      update: async (...args: Parameters<typeof update>) => {
        const stored = await update(...args);
        hasDied ||= stored?.state === 'split';
        if (hasDied) throw new Error('died');
        return stored;
      },
    });
    await give(command({ products: products(2) }));
    expect(hasDied).toBe(true);
    Object.assign(ports.requests, { update });
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      time.now += 2 * HOUR_MS;
      await sweep();
    }
    const sentRows = await Promise.all(
      batches().map(async ({ submission }) => ports.archive.get(submission?.requestKey ?? '')),
    );
    expect(sentRows.flat()).toEqual(products(2));
    expect(rejected()).toEqual([]);
  });
});

describe('creation commands', () => {
  test('with a time far ahead are rejected whole', async () => {
    const { give, command, sent, rejected } = setUpBulk();
    await give(command({ time: NOW + 6 * 60_000, products: products(2) }));
    expect(sent).toEqual([]);
    expect(rejected()).toMatchObject([{ code: 'VERSION_FUTURE', commandId: 'c-1' }]);
  });

  test('for failed rows of a batch name it and share no request with others', async () => {
    const { give, command, sent, batches } = setUpBulk();
    await give(
      command({ commandId: 'a', products: [simpleProduct(1)] }),
      command({ commandId: 'b', products: [simpleProduct(2)], retryOf: 'b-0' }),
    );
    expect(sent).toHaveLength(2);
    expect(batches().map(({ retryOf }) => retryOf)).toEqual([undefined, 'b-0']);
  });
});
