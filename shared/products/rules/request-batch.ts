import type { RejectedRow, Submission } from '../../batches/model.ts';
import { batchKindSchema } from '../../events/outgoing.ts';
import type { RequestRecord } from '../../requests/model.ts';

/** What an answer says of its batch. */
export interface BatchBegun {
  readonly batchId?: string | undefined;
  /** The marketplace's. */
  readonly requestId?: string | undefined;
  /** ISO 8601. */
  readonly submittedAt: string;
  /** ISO 8601: when the batch is to be read back if it is still open then. */
  readonly deadlineAt: string;
  /** By their position in the request. */
  readonly rejectedRows: readonly RejectedRow[];
  /** Positions of the rows that the answer did not settle: they are read back. */
  readonly unknownRows?: readonly number[] | undefined;
  readonly endsBy: Submission['endsBy'];
}

/** The batch that a request began. Without an ID of the marketplace's it goes by the request's own record. */
export function submissionOf(record: RequestRecord, begun: BatchBegun): Submission {
  const { recordId, storeClientId, kind, commands, rows, requestKey, uncertain } = record;
  const [command] = commands;
  const { batchId, requestId, rejectedRows, unknownRows = [], ...rest } = begun;
  return {
    ...rest,
    batchId: batchId ?? requestId ?? recordId,
    ...(requestId !== undefined && { requestId }),
    kind: batchKindSchema.parse(kind),
    storeClientId,
    attemptId: recordId,
    ...(commands.length === 1 ? { commandId: command?.commandId } : { origins: originsOf(record) }),
    sentRows: rows.length,
    names: rows.map(({ command: _, index: __, ...names }) => names),
    rejectedRows: [...rejectedRows],
    ...(unknownRows.length > 0 && { unknownRows: [...unknownRows] }),
    ...(uncertain && { uncertain }),
    requestKey,
    ...(command?.retryOf !== undefined && { retryOf: command.retryOf }),
  };
}

/** A batch of the request's own that is past its deadline: its rows are read back. */
export function unknownBatchOf(record: RequestRecord, rejectedRows: readonly RejectedRow[] = []): Submission {
  const at = record.touchedAt;
  return submissionOf(record, { submittedAt: at, deadlineAt: at, rejectedRows, endsBy: 'summary' });
}

function originsOf({ commands, rows }: RequestRecord): Submission['origins'] {
  return rows.map(({ command, index }) => ({
    commandId: commands[command]?.commandId ?? '',
    productIndex: index,
  }));
}
