import * as z from 'zod';
import { type RejectedRow, type Submission, submissionSchema } from '../../batches/model.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { batchKindSchema } from '../../events/outgoing.ts';
import { trackingId } from '../../marketplace/tracking-ids.ts';
import type { RequestFault, RequestRecord } from '../../requests/model.ts';
import { triesIn } from '../../requests/rules/attempts.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';

/** A batch as its answer describes it, in the form that the ledger stores. */
export const answeredBatchSchema = submissionSchema
  .pick({
    requestId: true,
    submittedAt: true,
    deadlineAt: true,
    rejectedRows: true,
    unknownRows: true,
    endsBy: true,
  })
  .extend({ batchId: z.string().optional() });
export type AnsweredBatch = z.infer<typeof answeredBatchSchema>;

/** The batch of a request. Without an ID from the marketplace it has the ID of the request's record. */
export function submissionOf(record: RequestRecord, answer: AnsweredBatch): Submission {
  const {
    recordId,
    storeClientId,
    kind,
    commands,
    rows,
    requestKey,
    uncertain,
    signedAt,
    attempts = [],
  } = record;
  const [command] = commands;
  const { batchId, requestId, rejectedRows, unknownRows = [], ...rest } = answer;
  // Parse these IDs like the IDs of summaries, so that they match.
  const tried = attempts.flatMap(
    (one) => (one.outcome === 'unknown' && trackingId.parse(one.requestId)) || [],
  );
  return {
    ...rest,
    batchId: batchId ?? requestId ?? recordId,
    ...(tried.length > 0 && { triedRequestIds: [...new Set(tried)] }),
    kind: batchKindSchema.parse(kind),
    storeClientId,
    attemptId: recordId,
    ...(commands.length === 1 ? { commandId: command?.commandId } : { origins: originsOf(record) }),
    sentRows: rows.length,
    names: rows.map(({ command: _, index: __, ...names }) => names),
    rejectedRows,
    ...(unknownRows.length > 0 && { unknownRows }),
    ...(uncertain && { uncertain }),
    ...definedOf({ requestId, signedAt, requestKey, tries: triesIn(record), retryOf: command?.retryOf }),
  };
}

/** A batch for a request of unknown outcome. The sweeper reads its rows back as soon as no try may land any more. */
export function unknownBatchOf(
  record: RequestRecord,
  attemptLifetimeMs: number,
  rejectedRows: RejectedRow[] = [],
): Submission {
  const { touchedAt: submittedAt, signedAt = Date.parse(submittedAt) } = record;
  const deadlineAt = new Date(signedAt + attemptLifetimeMs).toISOString();
  // With only one try, a summary can't be about another try. A half of a split request begins with `tries` 1, for the try of the
  // whole request, but without an attempt.
  const isOnlyTry = record.tries === 1 && record.attempts?.length === 1;
  const uncertain = record.uncertain && !isOnlyTry;
  return submissionOf({ ...record, uncertain }, { submittedAt, deadlineAt, rejectedRows, endsBy: 'summary' });
}

function originsOf({ commands, rows }: RequestRecord): Submission['origins'] {
  return rows.map(({ command, index }) => ({
    commandId: commands[command]?.commandId ?? '',
    productIndex: index,
  }));
}

/** The fault of a refused request, as the fault of its rows. */
export function faultOfRequest({ code, message, requestId, details }: RequestFault): CommandFault {
  return { code, message, details: { ...(requestId !== undefined && { requestId }), ...details } };
}
