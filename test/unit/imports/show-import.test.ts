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
    // A deleted message of the file itself has no rows.
    const ofFile = { messageId: 'm-9', body: JSON.stringify({ importId }), sentAt: NOW, receiptHandle: 'r' };
    const file = { importId, bucket: 'imports', key: 'catalog/s-1/a.json' };
    await ports.rejections.putAll([rejectionOfDeadLetter(ofFile, 'q', 'a test', file)]);
    expect((await show({ importId })).rows).toMatchObject({ rejected: {}, open: 6 });
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
