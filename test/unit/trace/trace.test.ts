import { describe, expect, test } from 'vitest';
import { simpleProduct } from '../../../local/run/catalog.ts';
import { withResolution } from '../../../shared/batches/rules/apply-fact.ts';
import { recordSubmission, recordSummary } from '../../../shared/batches/use-cases/record-batch.ts';
import type { ChangeEventRecord } from '../../../shared/changes/change-events.ts';
import { freshLimit } from '../../../shared/limits/model.ts';
import type { Listing } from '../../../shared/listings/model.ts';
import { endedByRename } from '../../../shared/listings/rules/end-by-rename.ts';
import type { OrderRecord } from '../../../shared/orders/model.ts';
import type { TraceSubject } from '../../../shared/trace/model.ts';
import { traceOf } from '../../../shared/trace/trace.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { finalSummary, submission } from '../batches/batch-facts.ts';
import { accept, type Reply, setUpBulk } from '../products/bulk-setup.ts';
import { cutAlways, NOW, productId, store } from '../products/update-setup.ts';
import { fail } from '../support/failure.ts';
import { emptyTracePorts } from './trace-ports.ts';

const at = (second: number) => new Date(NOW + second * 1000).toISOString();

function setUpTrace(replies: readonly Reply[] = []) {
  const bulk = setUpBulk(replies);
  const changeEvents = inMemoryChangeEventTable();
  const orders = inMemoryOrderTable();
  const ports = {
    ...bulk.ports,
    ...emptyTracePorts(),
    changeEvents,
    orders,
    listings: inMemoryListingTable(),
  };

  const trace = async (subject: TraceSubject) => (await traceOf(ports, subject)).steps;
  return { ...bulk, ports, changeEvents, orders, trace };
}

const refusal = (rowIndex: number) => ({ rowIndex, code: 'CAT_001', message: 'no such category' });

describe('the trace of a command', () => {
  test('shows only its own rejected rows of a batch that several commands share', async () => {
    const { give, command, trace } = setUpTrace([accept('b-1', [refusal(0), refusal(2)])]);
    await give(
      command({ commandId: 'a', products: [simpleProduct(1), simpleProduct(2)] }),
      command({ commandId: 'b', products: [simpleProduct(3)] }),
    );
    const rejected = (await trace({ commandId: 'b' })).filter(({ what }) => what === 'row.rejected');
    expect(rejected).toEqual([expect.objectContaining({ sku: simpleProduct(3).sku, code: 'CAT_001' })]);
    const byBatch = await trace({ batchId: 'b-1' });
    expect(byBatch.filter(({ what }) => what === 'command.given').map(({ commandId }) => commandId)).toEqual([
      'a',
      'b',
    ]);
    expect(byBatch.filter(({ what }) => what === 'row.rejected')).toHaveLength(2);
  });

  test('shows the halves of a request that was refused as a whole, and why a row of it was rejected', async () => {
    const whole = fail({ code: 'VAL_001' });
    const { give, command, trace } = setUpTrace([whole, whole, accept('b-1')]);
    await give(command({ products: [simpleProduct(1), simpleProduct(2)] }));
    const steps = await trace({ commandId: 'c-1' });
    const ends = steps.filter(({ what }) => what === 'request.ended');
    expect(ends.map(({ outcome, code }) => [outcome, code]).sort()).toEqual([
      ['answered', undefined],
      ['refused', 'VAL_001'],
    ]);
    expect(steps).toContainEqual(
      expect.objectContaining({ what: 'row.rejected', sku: simpleProduct(1).sku }),
    );
    expect(steps).toContainEqual(expect.objectContaining({ what: 'batch.ended', batchId: 'b-1' }));
  });

  test('shows a request as open while its outcome is not known', async () => {
    const { give, deletion, trace } = setUpTrace(cutAlways);
    await give(deletion([productId]));
    const steps = await trace({ commandId: 'c-1' });
    expect(steps.at(-1)).toMatchObject({ what: 'request.sent', outcome: 'open' });
    expect(steps.some(({ what }) => what === 'request.ended')).toBe(false);
  });

  test('shows why it was rejected whole, by the ID of its event as well', async () => {
    const { give, command, trace, stores } = setUpTrace();
    stores.set('s-1', { ...store, discardedAt: at(0) });
    await give(command({ commandId: 'e-1', products: [simpleProduct(1)] }));
    for (const subject of [
      { commandId: 'e-1' },
      { eventId: 'e-1' },
      { commandId: 'e-1', storeClientId: 's-1' },
    ]) {
      const kinds = (await trace(subject)).map(({ what }) => what);
      expect(kinds.sort()).toEqual(['command.planned', 'row.rejected']);
      expect(await trace(subject)).toContainEqual(expect.objectContaining({ code: 'COMMAND_DISCARDED' }));
    }
  });

  test.each([
    ['of a store that is not connected', 'STORE_UNKNOWN', '-'],
    ['whose work was discarded', 'COMMAND_DISCARDED', 's-1'],
    ['with the ID of another command', 'COMMAND_ID_REUSED', 's-1'],
  ])(
    'that was rejected whole is found by the event, though it has an ID of its own: one %s',
    async (_, code, storeClientId) => {
      const { give, command, trace, stores } = setUpTrace();
      if (code === 'COMMAND_ID_REUSED') await give(command({ products: [simpleProduct(2)] }));
      if (code === 'STORE_UNKNOWN') stores.delete('s-1');
      if (code === 'COMMAND_DISCARDED') stores.set('s-1', { ...store, discardedAt: at(0) });
      await give(command({ eventId: 'e-9', products: [simpleProduct(1)] }));
      const rejected = { what: 'row.rejected', code, eventId: 'e-9', commandId: 'c-1', storeClientId };
      expect(await trace({ eventId: 'e-9' })).toMatchObject([rejected]);
      expect(await trace({ eventId: 'e-9', storeClientId })).toMatchObject([rejected]);
    },
  );

  test('shows each try of a request with its end, and counts no row as sent that was not', async () => {
    const refusedForNow = fail({ code: 'SYS_DEP_503', status: 503, retryable: true });
    const { give, deletion, trace } = setUpTrace([refusedForNow]);
    await give(deletion([productId]));
    const steps = await trace({ commandId: 'c-1' });
    const tries = steps.filter(({ what }) => what === 'request.tried');
    expect(tries.map(({ outcome, code, status }) => [outcome, code, status])).toEqual([
      ['refused', 'SYS_DEP_503', 503],
      ['accepted', undefined, undefined],
    ]);
    expect(steps).toContainEqual(
      expect.objectContaining({ what: 'command.planned', rows: { given: 1, sent: 1, rejected: 0 } }),
    );
  });

  test('has a batch that says how often its request was tried, and why the last try failed', async () => {
    const busy = fail({ code: 'SYS_DEP_503', status: 503, retryable: true });
    const { give, deletion, command, ports } = setUpTrace([busy, accept('b-1')]);
    await give(command({ products: [simpleProduct(1)] }));
    expect(await ports.batches.get('b-1')).toMatchObject({
      tries: { count: 2, lastFailed: { outcome: 'refused', status: 503, code: 'SYS_DEP_503' } },
    });
    await give(deletion([productId]));
    const { batches } = await ports.batches.list({ kind: 'product-deletion' });
    for (const batch of batches) expect(batch).not.toHaveProperty('tries');
  });

  test('is not that of a command with the same ID in another store', async () => {
    const { give, command, trace, stores } = setUpTrace();
    stores.set('s-2', { ...store, storeClientId: 's-2' });
    await give(command({ products: [simpleProduct(1)] }));
    await expect(trace({ commandId: 'c-1', storeClientId: 's-2' })).rejects.toMatchObject({
      code: 'TRACE_UNKNOWN',
    });
    expect(await trace({ commandId: 'c-1', storeClientId: 's-1' })).not.toEqual([]);
  });
});

test('the trace of an open batch says when it is read back, or since when that does not succeed', async () => {
  const { ports, trace } = setUpTrace();
  await recordSubmission(ports, submission());
  const message = async () => (await trace({ batchId: 'b-1' }))[0]?.message;
  expect(await message()).toMatch(/^the sweeper reads it back after 20\S+Z, unless a summary ends it$/);
  await ports.batches.update('b-1', (current) => current && { ...current, lookedAt: at(90) });
  expect(await message()).toBe(
    `not all of its rows could be read back at ${at(90)}: the sweeper tries again, unless a summary ends it`,
  );
});

test.each(['stock', 'price', 'dropoff'] as const)(
  'the trace of an open batch of kind %s does not say that it is read back, as nothing shows its rows',
  async (kind) => {
    const { ports, trace } = setUpTrace();
    await recordSubmission(ports, submission({ kind, endsBy: 'answer', unknownRows: [0] }));
    const message = async () => (await trace({ batchId: 'b-1' }))[0]?.message;
    const words = 'its unknown rows cannot be read back: it becomes unresolved, unless a summary ends it';
    expect(await message()).toBe(words);
    await ports.batches.update('b-1', (current) => current && { ...current, lookedAt: at(90) });
    expect(await message()).toBe(words);
    const resolution = { resolvedAt: at(95), rejectedRows: [], unknownRows: [{ rowIndex: 0 }] };
    await ports.batches.update('b-1', (current) => withResolution(current, resolution));
    const steps = await trace({ batchId: 'b-1' });
    expect(steps.map(({ what, outcome }) => [what, outcome])).toEqual([
      ['batch.submitted', undefined],
      ['batch.ended', 'unresolved'],
    ]);
  },
);

test('the trace of a batch has the final summaries that contradict its end, or name another store', async () => {
  const { ports, trace } = setUpTrace();
  await recordSubmission(ports, submission({ batchId: 'b-1', endsBy: 'answer' }));
  const other = { storeClientId: 's-2', receivedAt: at(70) };
  await recordSummary(ports, { batchId: 'b-1' }, finalSummary(other));
  const summary = { total: 3, failed: 3, pending: 0 };
  await recordSummary(ports, { batchId: 'b-1' }, finalSummary({ summary, receivedAt: at(80) }));
  const contradicted = (await trace({ batchId: 'b-1' })).filter(({ outcome }) => outcome === 'contradicted');
  expect(contradicted.map(({ message }) => message)).toEqual([
    'it names store s-2: the batch stays as it is',
    'it says 3 rows, 3 failed, which is not how the batch ended: the batch stays as it is',
  ]);
});

test('the trace of a batchId that only a final summary has named is that of its batch', async () => {
  const { ports, trace } = setUpTrace();
  await recordSubmission(ports, submission({ batchId: 'r-1' }));
  await recordSummary(ports, { batchId: 'b-1', requestId: 'r-1' }, finalSummary());
  expect(await trace({ batchId: 'b-1' })).toEqual(await trace({ batchId: 'r-1' }));
  expect((await trace({ batchId: 'b-1' })).at(-1)).toMatchObject({
    what: 'batch.ended',
    outcome: 'completed',
  });
});

test('the trace of a product has what was rejected of it with an event whose store is not connected', async () => {
  const { ports, trace } = setUpTrace();
  const facts = { rejectionId: `${at(0)}#1`, rejectedAt: at(0), message: 'store stroe-1 is not connected' };
  const row = { storeClientId: 'stroe-1', target: 'sku:A', code: 'STORE_UNKNOWN', eventId: 'e-1' };
  await ports.rejections.putAll([{ ...facts, ...row }]);
  expect(await trace({ target: 'sku:A' })).toMatchObject([{ what: 'row.rejected', code: 'STORE_UNKNOWN' }]);
});

const event: ChangeEventRecord = {
  eventId: 'e-9',
  detailType: 'stock.changed',
  storeClientId: 's-1',
  takenAt: at(5),
  rows: 2,
  versionKind: 'time',
  version: NOW,
  targets: ['sku:A'],
  registers: ['stock', 'stock:wh-1'],
};

describe('the trace of a stock event', () => {
  const listingOf = (facts: Partial<Listing>): Listing => ({
    storeClientId: 's-1',
    target: 'sku:A',
    versionKind: 'time',
    desired: { stock: { value: 5, version: NOW } },
    sent: {},
    settled: {},
    failures: 0,
    ...facts,
  });
  const traced = async (listing: Listing, facts: Partial<ChangeEventRecord> = {}) => {
    const { ports, changeEvents, trace } = setUpTrace();
    await changeEvents.putAll([{ ...event, ...facts }]);
    await ports.listings.update('s-1', 'sku:A', () => listing);
    return trace({ eventId: 'e-9' });
  };

  test('shows a waiting value, and until when an unknown outcome holds it back', async () => {
    const steps = await traced(listingOf({ waitingSince: NOW + 5000, notBefore: NOW + 30_000 }));
    expect(steps).toEqual([
      expect.objectContaining({ at: at(5), what: 'event.taken', rows: { given: 2 } }),
      {
        at: at(5),
        what: 'value.waiting',
        storeClientId: 's-1',
        target: 'sku:A',
        outcome: 'open',
        message: 'waits until the outcome of its last request is known, or can no longer change',
        until: at(30),
      },
    ]);
  });

  test('says of a waiting value that a restore must end first, until it has', async () => {
    const { ports, changeEvents, trace } = setUpTrace();
    ports.restoredTables = 'Restored1';
    await changeEvents.putAll([event]);
    await ports.listings.update('s-1', 'sku:A', () => listingOf({ waitingSince: NOW + 5000 }));
    const reason = async () =>
      (await trace({ eventId: 'e-9' })).find(({ what }) => what === 'value.waiting')?.message;
    expect(await reason()).toContain('before `restore end`');
    await ports.limits.create({ ...freshLimit('partner'), resumedTables: 'Restored1' });
    expect(await reason()).not.toContain('restore');
  });

  test('shows a value that was sent and then replaced by a newer one, with the time of that one', async () => {
    const steps = await traced(
      listingOf({
        desired: { stock: { value: 3, version: NOW + 60_000 } },
        sent: { stock: { value: 5, version: NOW, at: at(10), batchId: 'b-1' } },
        settled: { stock: { value: 5, version: NOW, at: at(11), outcome: 'accepted' } },
      }),
    );
    expect(steps.map((step) => [step.at, step.what, step.value, step.outcome, step.batchId])).toEqual([
      [at(5), 'event.taken', undefined, undefined, undefined],
      [at(10), 'value.sent', 5, undefined, 'b-1'],
      [at(11), 'value.settled', 5, 'accepted', 'b-1'],
      [at(60), 'value.desired', 3, 'superseded', undefined],
    ]);
  });

  test('says that another value of its version is taken, and shows no step of that one as its own', async () => {
    const steps = await traced(
      listingOf({
        desired: { stock: { value: 3, version: NOW } },
        sent: { stock: { value: 3, version: NOW, at: at(10), batchId: 'b-1' } },
        waitingSince: NOW + 5000,
      }),
      { values: [{ stock: 5 }] },
    );
    expect(steps.map((step) => [step.at, step.what, step.value, step.outcome, step.message])).toEqual([
      [at(5), 'event.taken', undefined, undefined, undefined],
      [
        at(5),
        'value.desired',
        3,
        'superseded',
        'another value of the same version is taken in place of this one',
      ],
    ]);
  });

  test('shows the steps of a value that was taken in place of another one of its version', async () => {
    const sent = { stock: { value: 3, version: NOW, at: at(10), batchId: 'b-1' } };
    const steps = await traced(listingOf({ desired: { stock: { value: 3, version: NOW } }, sent }), {
      values: [{ stock: 3 }],
    });
    expect(steps.map(({ what, value }) => [what, value])).toEqual([
      ['event.taken', undefined],
      ['value.sent', 3],
    ]);
  });

  test('shows a row that the marketplace rejected before a newer value replaced it, and no row of another value', async () => {
    const { ports, changeEvents, trace } = setUpTrace();
    await changeEvents.putAll([event]);
    const newer = { stock: { value: 3, version: NOW + 60_000 } };
    await ports.listings.update('s-1', 'sku:A', () => listingOf({ desired: newer }));
    const rejection = (rejectionId: string, version: number) => ({
      storeClientId: 's-1',
      rejectionId,
      rejectedAt: at(20),
      code: 'INV_003',
      message: rejectionId,
      target: 'sku:A',
      batchId: rejectionId,
      rowIndex: 0,
      versions: [version - 1, version],
    });
    await ports.rejections.putAll([rejection('b-1', NOW), rejection('b-2', NOW + 60_000)]);
    const rejected = (await trace({ eventId: 'e-9' })).filter(({ what }) => what === 'row.rejected');
    expect(rejected).toEqual([expect.objectContaining({ code: 'INV_003', batchId: 'b-1' })]);
  });

  test('says that its value went to another name, as does the trace of the old name', async () => {
    const { ports, changeEvents, trace } = setUpTrace();
    await changeEvents.putAll([event]);
    const rename = { storeClientId: 's-1', from: 'sku:A', to: 'sku:B', time: NOW + 30_000 };
    await ports.listings.update('s-1', 'sku:A', () =>
      endedByRename(listingOf({ desired: { stock: { value: 5, version: NOW } } }), rename, NOW + 31_000),
    );
    const moved = {
      at: at(30),
      what: 'value.desired',
      outcome: 'superseded',
      message: 'the product was renamed: its values went to sku:B',
    };
    expect((await trace({ eventId: 'e-9' })).at(-1)).toMatchObject(moved);
    expect(await trace({ target: 'sku:A' })).toMatchObject([moved]);
  });

  test('of an event with more products than are kept says that not all are followed', async () => {
    const { changeEvents, trace } = setUpTrace();
    const targets = Array.from({ length: 100 }, (_, number) => `sku:${number}`);
    await changeEvents.putAll([{ ...event, rows: 101, targets }]);
    const [taken] = await trace({ eventId: 'e-9' });
    expect(taken?.message).toBe('of its products only the first 100 are followed here');
    await changeEvents.putAll([{ ...event, rows: 100, targets }]);
    expect((await trace({ eventId: 'e-9' }))[0]?.message).toBeUndefined();
  });

  test('leaves out a register that has an older value, which another event has set', async () => {
    const steps = await traced(
      listingOf({ desired: { stock: { value: 5, version: NOW - 1 } }, waitingSince: NOW }),
    );
    expect(steps.map(({ what }) => what)).toEqual(['event.taken']);
  });
});

test('the trace of an order shows its decision, its dropoff of unknown outcome and its documents in order', async () => {
  const { orders, trace } = setUpTrace();
  const its = { commandId: 'c', recordId: 'r' };
  const order: OrderRecord = {
    storeClientId: 's-1',
    orderKey: 'orderId:o-1',
    orderId: 'o-1',
    decision: { ...its, state: 'accepted', decision: 'accept', startedAt: at(1), endedAt: at(2) },
    dropoff: {
      ...its,
      state: 'unknown',
      startedAt: at(5),
      endedAt: at(40),
      code: 'TIMEOUT',
      message: 'no answer',
    },
    documents: {
      'shipping-label': { state: 'stored', commandId: 'd', at: at(3), key: 'documents/label.pdf' },
    },
  };
  await orders.update('s-1', 'orderId:o-1', () => order);
  const steps = await trace({ orderId: 'O-1', storeClientId: 's-1' });
  expect(steps.map((step) => [step.what, step.outcome, step.code ?? step.message])).toEqual([
    ['order.decision', 'sending', undefined],
    ['order.decision', 'accepted', undefined],
    ['document.shipping-label', 'stored', 'documents/label.pdf'],
    ['order.dropoff', 'sending', undefined],
    ['order.dropoff', 'unknown', 'TIMEOUT'],
  ]);
});

test('the trace of a target or an order has the steps of all stores, or of the store that is named', async () => {
  const { ports, stores, orders, trace } = setUpTrace();
  const documents = { invoice: { state: 'stored', commandId: 'd', at: at(3), key: 'k' } } as const;
  for (const storeClientId of ['s-1', 's-2', 's-3']) {
    stores.set(storeClientId, { ...store, storeClientId });
    if (storeClientId === 's-3') continue;
    await orders.update(storeClientId, 'invoiceNumber:I-1', () => ({
      storeClientId,
      orderKey: 'invoiceNumber:I-1',
      invoiceNumber: 'I-1',
      documents,
    }));
    await ports.listings.update(storeClientId, 'sku:A', () => ({
      storeClientId,
      target: 'sku:A',
      versionKind: 'time',
      desired: { stock: { value: 5, version: NOW } },
      sent: {},
      settled: {},
      failures: 0,
    }));
  }
  const storesOf = async (subject: TraceSubject) =>
    (await trace(subject)).map(({ storeClientId }) => storeClientId).sort();
  for (const subject of [{ target: 'sku:A' }, { invoiceNumber: 'I-1' }]) {
    expect(await storesOf(subject)).toEqual(['s-1', 's-2']);
    expect(await storesOf({ ...subject, storeClientId: 's-2' })).toEqual(['s-2']);
    await expect(trace({ ...subject, storeClientId: 's-3' })).rejects.toMatchObject({
      code: 'TRACE_UNKNOWN',
    });
  }
});

test('the trace of a product by its ID or its SKU has the steps of both, and what was rejected of the ID', async () => {
  const { ports, trace } = setUpTrace();
  const { storeClientId } = store;
  const live = { at: at(1), values: {}, productId };
  const desired = { stock: { value: 4, version: NOW } };
  for (const target of ['sku:MUG-1', 'sku:MUG-1-RED'])
    await ports.listings.update(storeClientId, target, () => ({
      storeClientId,
      target,
      versionKind: 'time',
      desired,
      sent: {},
      settled: {},
      failures: 0,
      live,
      productId,
    }));
  const rejection = { storeClientId, rejectionId: 'x', rejectedAt: at(2), code: 'NAME_KIND', message: 'sku' };
  await ports.rejections.putAll([{ ...rejection, target: `id:${productId}`, id: productId }]);
  const stepsOf = async (target: string) =>
    (await trace({ target })).map((step) => [step.what, step.target, step.code]);
  const rejected = ['row.rejected', `id:${productId}`, 'NAME_KIND'];
  expect(await stepsOf('sku:MUG-1')).toEqual([['value.desired', 'sku:MUG-1', undefined], rejected]);
  expect(await stepsOf(`id:${productId}`)).toEqual([
    ['value.desired', 'sku:MUG-1', undefined],
    ['value.desired', 'sku:MUG-1-RED', undefined],
    rejected,
  ]);
});

test('the trace of a product has the last command that has updated or deleted it, with its own rejected rows alone', async () => {
  const other = productId.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const failed = { rowIndex: 1, id: other, code: 'PRD_014', message: 'not found' };
  const { give, deletion, trace, ports } = setUpTrace([accept('b-1', [failed])]);
  await give(deletion([productId, other]));
  await ports.listings.update(store.storeClientId, 'sku:MUG-1', () => ({
    storeClientId: store.storeClientId,
    target: 'sku:MUG-1',
    versionKind: 'time',
    desired: {},
    sent: {},
    settled: {},
    failures: 0,
    productId,
  }));
  for (const target of [`id:${productId}`, 'sku:MUG-1']) {
    const steps = await trace({ target });
    expect(steps).toContainEqual(
      expect.objectContaining({ what: 'command.given', detailType: 'product.delete.requested' }),
    );
    expect(steps.map(({ what }) => what)).toContain('request.ended');
    expect(steps.map(({ what }) => what)).not.toContain('row.rejected');
  }
  const rejected = (await trace({ target: `id:${other}` })).filter(({ what }) => what === 'row.rejected');
  expect(rejected).toEqual([expect.objectContaining({ code: 'PRD_014' })]);
});
