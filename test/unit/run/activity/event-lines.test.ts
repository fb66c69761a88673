import { describe, expect, test } from 'vitest';
import { busEvent } from '../../../../local/aws/services/eventbridge/event.ts';
import { eventLines } from '../../../../local/run/activity/event-lines.ts';

const IMPORTS = 'imports-bucket';
const BUS = 'own-bus';
const OUTPUTS = { ImportBucketName: IMPORTS, EventBusName: BUS };

const linesOf = (source: string, detailType: string, detail: Record<string, unknown>) =>
  eventLines(busEvent({ source, detailType, detail, time: 0 }), BUS, OUTPUTS);

const published = (detailType: string, detail: Record<string, unknown>) =>
  linesOf('marketplace.connector', detailType, detail);

const batch = {
  storeClientId: 'store-0wh',
  batchId: 'b-1',
  kind: 'stock',
  summary: { total: 3, failed: 1, pending: 0 },
};

describe('a line about an event', () => {
  test('says what came in from outside, for which store, how many items, and if by a bus that the stack does not read', () => {
    const event = busEvent({
      source: 'my.erp',
      detailType: 'stock.changed',
      detail: { storeClientId: 'store-0wh', items: [{}, {}] },
      time: 0,
    });
    const text = `stock.changed: store-0wh, 2 items, event ${event.id}`;
    expect(eventLines(event, BUS, OUTPUTS)).toEqual([{ kind: 'event in', text, isBad: false }]);
    expect(eventLines(event, 'default', OUTPUTS)).toEqual([
      {
        kind: 'not taken',
        text: `it is on the bus default, and the stack reads own-bus: ${text}`,
        isBad: true,
      },
    ]);
  });

  test('says nothing that the event does not say', () => {
    const [line] = linesOf('my.erp', 'stock.vanished', { storeClientId: 7 });
    expect(line?.text).toMatch(/^stock\.vanished: event [\w-]+$/);
  });

  test('reports a file in the import bucket, and in no other', () => {
    const created = (name: string) =>
      linesOf('aws.s3', 'Object Created', {
        bucket: { name },
        object: { key: 'catalog/store-0wh/a.csv', size: 12 },
      });
    expect(created(IMPORTS)).toEqual([
      { kind: 'file in', text: 'catalog/store-0wh/a.csv, 12 bytes', isBad: false },
    ]);
    expect(created('documents')).toEqual([]);
  });

  test('reports how a batch ended', () => {
    const rows = { sent: 3, accepted: 2, rejected: 1, unknown: 0 };
    expect(published('batch.completed', { ...batch, rows, state: 'completed_with_errors' })).toEqual([
      {
        kind: 'batch',
        text: 'stock of store-0wh completed_with_errors: 2 accepted, 1 rejected, batch b-1',
        isBad: true,
      },
    ]);
    const done = { sent: 3, accepted: 3, rejected: 0, unknown: 0 };
    expect(published('batch.completed', { ...batch, rows: done, state: 'completed' })[0]?.isBad).toBe(false);
    const open = { sent: 3, accepted: 2, rejected: 0, unknown: 1 };
    expect(published('batch.unresolved', { ...batch, rows: open })[0]?.text).toBe(
      'stock of store-0wh unresolved: 2 accepted, 0 rejected, 1 unknown, batch b-1',
    );
  });

  test('leaves a submitted batch to the line of its request', () => {
    const rows = { sent: 3, accepted: 0, rejected: 0, unknown: 3 };
    expect(published('batch.submitted', { ...batch, rows })).toEqual([]);
  });

  test('joins the rejected rows that share a reason', () => {
    const rows = [
      { code: 'INV_001', message: 'Invalid SKU', sku: 'A' },
      { code: 'VERSION_FUTURE', message: 'too far ahead', target: 'sku:Z', rowIndexes: [1, 5] },
      ...['B', 'C', 'D'].map((sku) => ({ code: 'INV_001', message: 'Invalid SKU', sku })),
    ];
    expect(published('rows.rejected', { storeClientId: 'store-0wh', rows })).toEqual([
      { kind: 'rejected', text: '4 rows of store-0wh (A, B, C, …): INV_001 Invalid SKU', isBad: true },
      { kind: 'rejected', text: '2 rows of store-0wh (sku:Z): VERSION_FUTURE too far ahead', isBad: true },
    ]);
  });

  test('gives the facts of any other event of the stack', () => {
    expect(published('store.suspended', { storeClientId: 's', reason: 'AUTH_014' })).toEqual([
      { kind: 'event out', text: 'store.suspended: storeClientId s, reason AUTH_014', isBad: true },
    ]);
    expect(published('store.connected', { storeClientId: 's' })[0]?.isBad).toBe(false);
  });

  test('shows an event of the stack whole that has no schema', () => {
    expect(published('store.renamed', { storeClientId: 's' })[0]?.text).toBe(
      'store.renamed {"storeClientId":"s"}',
    );
  });
});
