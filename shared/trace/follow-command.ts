import type { BatchRecord } from '../batches/model.ts';
import type { BatchTable } from '../batches/ports.ts';
import { openRowNumbers } from '../batches/rules/batch-record.ts';
import { mapConcurrently, READS_AT_A_TIME } from '../collections/for-each-concurrently.ts';
import type { CommandPlan, RequestFault, RequestRecord, RequestRow } from '../requests/model.ts';
import type { RequestTable } from '../requests/ports.ts';
import { answerIdsOf } from '../requests/rules/answer-ids.ts';

export interface FollowCommandPorts {
  readonly requests: Pick<RequestTable, 'get' | 'getPlans' | 'getWaits' | 'aliasOf'>;
  readonly batches: Pick<BatchTable, 'get' | 'linkedTo'>;
}

/** A request of a command, with its batch. */
export interface FollowedRequest {
  readonly record: RequestRecord;
  readonly batch?: BatchRecord | undefined;
}

/** The requests of a planned command, with their batches. A split request is replaced by its halves. */
export async function followPlan(
  ports: FollowCommandPorts,
  { recordIds }: Pick<CommandPlan, 'recordIds'>,
): Promise<FollowedRequest[]> {
  const follow = (recordId: string) => followRequest(ports, recordId);
  return (await mapConcurrently(recordIds, READS_AT_A_TIME, follow)).flat();
}

export async function followRequest(ports: FollowCommandPorts, recordId: string): Promise<FollowedRequest[]> {
  const record = await ports.requests.get(recordId);
  if (record === undefined) return [];
  if (record.halves !== undefined) return followPlan(ports, { recordIds: record.halves });
  return [{ record, batch: await batchOf(ports, record) }];
}

/** The batch of a request that has ended. It is stored under an ID from the answer, or else under the request's own ID. */
async function batchOf(
  { batches }: FollowCommandPorts,
  record: RequestRecord,
): Promise<BatchRecord | undefined> {
  const { recordId, appliedAt } = record;
  if (appliedAt === undefined) return undefined;
  const { batchId, requestId } = answerIdsOf(record);
  for (const id of [batchId, requestId, recordId]) {
    const batch = id === undefined ? undefined : await batches.get(id);
    if (batch?.attemptId === recordId) return batch;
  }
  return undefined;
}

/** The outcome of one row of a request. */
export type RowResult = 'accepted' | 'open' | 'unresolved' | Pick<RequestFault, 'code' | 'message'>;

/** The outcome of each row of a request, in their order. */
export function rowResultsOf({ record, batch }: FollowedRequest): (RequestRow & { result: RowResult })[] {
  const { rows, state, fault, uncertain } = record;
  const whole = state === 'refused' && !uncertain ? fault : undefined;
  const rejected = new Map(batch?.rejectedRows.map((row) => [row.rowIndex, row]));
  const open = new Set(batch && openRowNumbers(batch));
  return rows.map((row, position) => {
    if (batch === undefined) return { ...row, result: whole ?? 'open' };
    if (open.has(position)) return { ...row, result: batch.state === 'unresolved' ? 'unresolved' : 'open' };
    return { ...row, result: rejected.get(position) ?? 'accepted' };
  });
}
