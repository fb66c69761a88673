import { describe, expect, test } from 'vitest';
import { simpleProduct } from '../../../local/run/catalog.ts';
import { recordSummary } from '../../../shared/batches/use-cases/record-batch.ts';
import { rejectionOfDeadLetter } from '../../../shared/dead-letters/rules/rejection-of.ts';
import type { ImportRecord } from '../../../shared/imports/model.ts';
import { showImport } from '../../../shared/imports/use-cases/show-import.ts';
import { accept, type Reply, setUpBulk } from '../products/bulk-setup.ts';
import { NOW, store } from '../products/update-setup.ts';
import { fail } from '../support/failure.ts';

const READ_AT = new Date(NOW + 1000).toISOString();
const SUMMED_UP_AT = new Date(NOW + 60_000).toISOString();
const detailType = 'catalog.sync.requested';

const products = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => simpleProduct(from + index));
const refusal = (rowIndex: number, code: string) => ({ rowIndex, code, message: code });

/** A file of seven rows: one was rejected as it was read, six went on in two commands. */
const file: ImportRecord = {
  importId: 'i',
  storeClientId: 's-1',
  bucket: 'imports',
  key: 'catalog/s-1/a.ndjson',
  putAt: new Date(NOW).toISOString(),
  startedAt: new Date(NOW).toISOString(),
  reading: { endedAt: READ_AT, rows: 7, sent: 6, rejected: { ROW_NOT_JSON: 1 }, commands: 2 },
};

function setUpFile(replies: readonly Reply[] = []) {
  const bulk = setUpBulk(replies);
  const { ports, command, give } = bulk;
  const first = command({ commandId: 'i/0', detailType, products: products(4) });
  const second = command({ commandId: 'i/1', detailType, products: products(2, 5) });
  const summary = (batchId: string, total: number, rejectedRows: ReturnType<typeof refusal>[] = []) =>
    recordSummary(
      ports,
      { batchId },
      {
        receivedAt: SUMMED_UP_AT,
        summary: { total, failed: rejectedRows.length, pending: 0 },
        rejectedRows,
      },
    );
  return {
    ...bulk,
    first,
    second,
    give,
    summary,
    show: (over = {}) => showImport(ports, { ...file, ...over }),
  };
}

describe('a file as it is shown', () => {
  test('has no counts while it is read', async () => {
    const { show } = setUpFile();
    const shown = await show({ reading: undefined });
    expect(shown).toMatchObject({ state: 'reading', since: file.startedAt, batches: [] });
    expect(shown.rows).toBeUndefined();
  });

  test('is open while its rows wait to be sent', async () => {
    const { show } = setUpFile();
    expect(await show()).toMatchObject({
      state: 'open',
      since: READ_AT,
      rows: { read: 7, sent: 6, accepted: 0, rejected: { ROW_NOT_JSON: 1 }, open: 6 },
    });
  });

  test('is open, with the batch, while one of its batches waits for its summary', async () => {
    const { show, give, first } = setUpFile([accept('b-1')]);
    await give(first);
    expect(await show()).toMatchObject({
      state: 'open',
      rows: { accepted: 0, open: 6 },
      batches: [{ batchId: 'b-1', kind: 'catalog-sync', state: 'submitted', rows: { sent: 4, unknown: 4 } }],
    });
  });

  test('ends with its last batch, with the rejected rows by code', async () => {
    const { show, give, first, second, summary, settings } = setUpFile([accept('b-1'), accept('b-2')]);
    settings.itemsPerRequest = 4;
    await give(first, second);
    await summary('b-1', 4, [refusal(0, 'PRD_002'), refusal(3, 'CAT_001')]);
    await summary('b-2', 2, [refusal(1, 'CAT_001')]);
    expect(await show()).toMatchObject({
      state: 'completed_with_errors',
      since: SUMMED_UP_AT,
      rows: { read: 7, sent: 6, accepted: 3, rejected: { ROW_NOT_JSON: 1, PRD_002: 1, CAT_001: 2 }, open: 0 },
      batches: [{ batchId: 'b-1' }, { batchId: 'b-2' }],
    });
  });

  test('counts only its own rows of a batch that it shares with another command', async () => {
    const { show, give, command, first, second, summary } = setUpFile([accept('b-1')]);
    const other = command({ commandId: 'other', detailType, products: products(3, 20) });
    await give(other, first, second);
    await summary('b-1', 9, [refusal(0, 'OTHERS'), refusal(3, 'CAT_001')]);
    const { rows, batches } = await show();
    expect(rows).toEqual({
      read: 7,
      sent: 6,
      accepted: 5,
      rejected: { ROW_NOT_JSON: 1, CAT_001: 1 },
      open: 0,
    });
    expect(batches).toMatchObject([{ batchId: 'b-1', rows: { sent: 9 } }]);
  });

  test('counts the rows of a request that was refused as a whole, half by half', async () => {
    const whole = fail({ code: 'VAL_001' });
    const { show, give, first, second, summary } = setUpFile([
      whole,
      whole,
      accept('b-1'),
      whole,
      accept('b-2'),
    ]);
    await give(first, second);
    await summary('b-1', 2);
    await summary('b-2', 3);
    expect((await show()).rows).toMatchObject({ accepted: 5, rejected: { VAL_001: 1 }, open: 0 });
  });

  test('counts all rows of a command that was discarded', async () => {
    const { show, give, first, second, summary, stores } = setUpFile([accept('b-1')]);
    await give(first);
    stores.set('s-1', { ...store, discardedAt: new Date(NOW).toISOString() });
    await give(second);
    await summary('b-1', 4);
    expect((await show()).rows).toMatchObject({ accepted: 4, rejected: { COMMAND_DISCARDED: 2 }, open: 0 });
  });

  test('is not open for rows whose message an operator deleted as a dead letter', async () => {
    const { show, first, second, ports } = setUpFile();
    const importId = '0123456789abcdef0123456789abcdef';
    const deleted = ([first, second] as const).map(({ products }, number) => {
      const detail = { storeClientId: 's-1', products };
      const body = JSON.stringify({ id: `${importId}/${number}`, 'detail-type': detailType, detail });
      const message = { messageId: `m-${number}`, body, sentAt: NOW, receiptHandle: 'r' };
      return rejectionOfDeadLetter(message, 'q', 'a test');
    });
    await ports.rejections.putAll(deleted.slice(0, 1));
    expect(await show({ importId })).toMatchObject({
      state: 'open',
      rows: { rejected: { DEAD_LETTER_DELETED: 4 }, open: 2 },
    });
    await ports.rejections.putAll(deleted);
    expect(await show({ importId })).toMatchObject({
      state: 'failed',
      rows: { read: 7, sent: 6, accepted: 0, rejected: { DEAD_LETTER_DELETED: 6 }, open: 0 },
    });
  });

  describe('whose own message an operator deleted as a dead letter', () => {
    const importId = '0123456789abcdef0123456789abcdef';
    const fault = { code: 'DEAD_LETTER_DELETED', message: 'an operator deleted its message: a test' };
    const stockFile = { importId, key: 'stock/s-1/full/a.csv' };
    const reading = { endedAt: READ_AT, rows: 3, sent: 3, rejected: {}, commands: 1 };
    const followed = { accepted: 1, superseded: 0, rejected: {}, batches: [] };
    const full = { known: 9, missing: 0, zeroed: 0, spared: [], isSparedIncomplete: false };
    const announced = {
      id: 'e-1',
      time: file.putAt,
      'detail-type': 'Object Created',
      detail: { bucket: { name: 'imports' }, object: { key: file.key, etag: 'e' } },
    };
    type Over = { key?: string; code?: string; replies?: readonly Reply[] };
    const setUpDeleted = async (body: object, { key = stockFile.key, replies, ...over }: Over = {}) => {
      const bulk = setUpFile(replies);
      const message = { messageId: 'm-1', body: JSON.stringify(body), sentAt: NOW, receiptHandle: 'r' };
      const place = { importId, bucket: 'imports', key };
      const rejection = rejectionOfDeadLetter(message, 'q', 'a test', place);
      await bulk.ports.rejections.putAll([{ ...rejection, ...over }]);
      return bulk;
    };

    test('has failed if it was not begun', async () => {
      const { show } = await setUpDeleted(announced, { key: file.key });
      const rows = { read: 0, sent: 0, accepted: 0, rejected: {}, open: 0 };
      expect(await show({ importId, reading: undefined })).toMatchObject({ state: 'failed', fault, rows });
    });

    test('has failed if it is of a store that is not connected', async () => {
      const { show } = await setUpDeleted(announced, { key: file.key, code: 'STORE_UNKNOWN' });
      expect(await show({ importId, reading: undefined })).toMatchObject({
        state: 'failed',
        fault: { code: 'STORE_UNKNOWN' },
      });
    });

    test('has the outcome of the rows that were sent from a catalog before', async () => {
      const deleted = await setUpDeleted(announced, { key: file.key, replies: [accept('b-1')] });
      const { show, give, command, summary } = deleted;
      await give(command({ commandId: `${importId}/0`, detailType, products: products(4) }));
      await summary('b-1', 4);
      const progress = {
        sent: 4,
        rejected: { ROW_INVALID: 1 },
        commands: 1,
        position: { offset: 9, number: 6 },
      };
      expect(await show({ importId, reading: undefined, progress })).toMatchObject({
        state: 'completed_with_errors',
        fault,
        rows: { read: 5, sent: 4, accepted: 4, rejected: { ROW_INVALID: 1 }, open: 0 },
      });
    });

    test('is unresolved if rows of stock or prices were sent before: no one looks at their outcome', async () => {
      const { show } = await setUpDeleted(announced);
      const progress = { sent: 4, rejected: {}, commands: 1, position: { offset: 9, number: 6 } };
      expect(
        await show({ ...stockFile, reading: undefined, progress, full: { ...full, state: 'reading' } }),
      ).toMatchObject({ state: 'unresolved', fault, rows: { read: 4, sent: 4, accepted: 0, open: 4 } });
    });

    test('is unresolved if that was the one which looks at the outcome of its rows', async () => {
      const { show } = await setUpDeleted({ importId, isFollowed: true });
      expect(await show({ ...stockFile, key: 'stock/s-1/a.csv', reading, followed })).toMatchObject({
        state: 'unresolved',
        fault,
        rows: { accepted: 1, rejected: {}, open: 2 },
      });
      const all = { ...followed, accepted: 3, endedAt: READ_AT };
      const ended = await show({ ...stockFile, key: 'stock/s-1/a.csv', reading, followed: all });
      expect(ended.state).toBe('completed');
      expect(ended.fault).toBeUndefined();
    });

    test('has errors if that was the one which compares the listings that it does not name', async () => {
      const { show } = await setUpDeleted({ importId });
      const all = { ...followed, accepted: 3, endedAt: READ_AT };
      const shown = (state: 'waiting' | 'held' | 'ended', rows = all) =>
        show({ ...stockFile, reading, followed: rows, full: { ...full, state } });
      expect(await shown('waiting')).toMatchObject({ state: 'completed_with_errors', fault });
      expect(await shown('waiting', { ...followed, accepted: 1 } as typeof all)).toMatchObject({
        state: 'open',
      });
      expect(await shown('held')).toMatchObject({ state: 'held' });
      expect(await shown('ended')).toMatchObject({ state: 'completed' });
    });
  });

  test('has failed, with the fault, when the file could not be read', async () => {
    const { show } = setUpFile();
    const fault = { code: 'FILE_EMPTY', message: 'the file has no product' };
    const reading = { endedAt: READ_AT, rows: 0, sent: 0, rejected: {}, commands: 0, fault };
    expect(await show({ reading })).toMatchObject({ state: 'failed', since: READ_AT, fault, batches: [] });
  });

  test('is unresolved once only rows of unresolved batches are open', async () => {
    const { show, give, first, second, ports } = setUpFile([accept('b-1')]);
    await give(first, second);
    await ports.batches.update('b-1', (batch) => batch && { ...batch, state: 'unresolved' });
    expect(await show()).toMatchObject({ state: 'unresolved', rows: { open: 6 } });
  });
});
