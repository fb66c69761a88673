import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createBatchTable } from '../../../shared/aws/batch-table.ts';
import { createRequestTable } from '../../../shared/aws/request-table.ts';
import type { FinalSummary, Submission } from '../../../shared/batches/model.ts';
import { rejectedRowOf } from '../../../shared/batches/rules/answered-rows.ts';
import { withFinalSummary } from '../../../shared/batches/rules/apply-fact.ts';
import { batchFrom } from '../../../shared/batches/rules/batch-record.ts';
import { batchAnswer } from '../../../shared/marketplace/batch.ts';
import { finalSummary as finalSummaryBody } from '../../../shared/marketplace/webhooks/final-summary.ts';
import { useLocalTables } from '../ports/local-tables.ts';

/** The largest `itemsPerRequest`. */
const ROWS = 1000;
const AT = '2026-01-01T00:00:01.000Z';

/** Text that does not compress well: CJK characters of three bytes each. */
function noise(length: number): string {
  const bytes = randomBytes(2 * length);
  const codes = Array.from({ length }, (_, index) => 0x4e00 + (bytes.readUInt16LE(2 * index) % 0x5000));
  return String.fromCharCode(...codes);
}
const name = (length: number) => randomBytes(length).toString('base64').slice(0, length);

const names = Array.from({ length: ROWS }, (_, rowIndex) => ({
  rowIndex,
  id: randomUUID(),
  sku: name(40),
  externalId: name(40),
}));

/** Failures of all rows, each with its own message of the greatest length. */
const errors = (detailsLength: number) =>
  names.map((row) => ({
    ...row,
    code: 'VAL_001',
    message: noise(1000),
    details: { retryable: false, context: { validationErrors: { field: noise(detailsLength) } } },
    strange: noise(500),
  }));
const answered = (length: number) =>
  batchAnswer.parse({ success: true, data: { batchId: 'b', errors: errors(length) } }).errors;

function submissionOf(length: number): Submission {
  return {
    batchId: randomUUID(),
    kind: 'catalog-sync',
    storeClientId: randomUUID(),
    attemptId: randomUUID(),
    submittedAt: AT,
    deadlineAt: AT,
    sentRows: ROWS,
    origins: names.map(() => ({ commandId: randomUUID(), productIndex: 0 })),
    names: names.map(({ sku, externalId }) => ({ sku, externalId })),
    rejectedRows: answered(length).map(rejectedRowOf),
    endsBy: 'summary',
  };
}

const local = useLocalTables();

describe.each([30, 160, 600])('1,000 failed rows with %i characters of detail in each', (length) => {
  test('fit the record of their batch, first from the answer, then with other messages from the final summary', async () => {
    const submission = submissionOf(length);
    const body = { batchId: 'b', summary: { total: ROWS, failed: ROWS }, errors: errors(length) };
    const { summary, errors: failed } = finalSummaryBody.parse(body);
    const finalSummary: FinalSummary = { receivedAt: AT, summary, rejectedRows: failed.map(rejectedRowOf) };
    const ended = batchFrom(submission.batchId, { submission, finalSummary });
    const rejectedRows = finalSummary.rejectedRows.map(({ rowIndex: _, ...row }) => ({
      ...row,
      sku: 'none',
    }));
    const others = Array.from({ length: 10 }, (_, index) => ({
      ...finalSummary,
      summary: { total: ROWS, failed: ROWS + index + 1, pending: 0 },
      rejectedRows,
    }));
    const batch = others.reduce(
      (current, other) => withFinalSummary(current.batchId, current, other) ?? current,
      ended,
    );
    expect(batch.contradictions).toHaveLength(10);
    const batches = createBatchTable(local().client, local().tableName('Batches'), 90);
    await batches.update(batch.batchId, () => batch);
    expect(await batches.get(batch.batchId)).toMatchObject({ state: 'failed', rows: { rejected: ROWS } });
  });

  test('fit the record of the request that they answer', async () => {
    const requests = createRequestTable(local().client, local().tableName('Requests'), 90);
    const recordId = randomUUID();
    const times = { createdAt: AT, touchedAt: AT };
    await requests.update(recordId, () => ({
      recordId,
      storeClientId: 's',
      kind: 'catalog-sync',
      commands: names.map(() => ({
        commandId: randomUUID(),
        eventId: randomUUID(),
        detailType: 'product.create.requested',
        time: Date.parse(AT),
        recordIds: [recordId],
      })),
      rows: names.map(({ rowIndex, ...row }) => ({ ...row, command: rowIndex, index: 0 })),
      requestKey: 'k',
      state: 'answered',
      tries: 1,
      uncertain: false,
      ...times,
      answer: submissionOf(length),
    }));
    expect(await requests.get(recordId)).toMatchObject({ answer: { rejectedRows: { length: ROWS } } });
  });
});
