import { outcomeOf } from '../documents/document-domain.ts';
import { rowNamesSchema } from '../events/outgoing.ts';
import { documentKindSchema } from '../marketplace/fields.ts';
import { actionOf } from '../orders/model.ts';
import { endsOf } from '../orders/rules/request-ends.ts';
import type { Rejection } from '../rejections/model.ts';
import type { CommandPlan, RequestCommand, RequestRecord } from '../requests/model.ts';
import { isEnded } from '../requests/rules/states.ts';
import { stepsOfBatch } from './batch-steps.ts';
import type { FollowedRequest } from './follow-command.ts';
import { stepAt, type TraceStep } from './model.ts';

interface CommandIds {
  readonly storeClientId: string;
  readonly commandId: string;
}

/** The steps of a planned command: its requests, their batches, and the outcome of its rows. */
export function stepsOfCommand(
  ids: CommandIds,
  plan: CommandPlan,
  requests: readonly FollowedRequest[],
): TraceStep[] {
  const own = requests
    .flatMap(({ record }) => record.commands)
    .find(({ commandId }) => commandId === ids.commandId);
  const sent = requests.flatMap(({ record }) => positionsOf(record, ids)).length;
  const rows = { sent, rejected: plan.rejected };
  return [
    ...(own ? givenSteps(ids.storeClientId, own) : []),
    ...stepAt(plan.plannedAt, 'command.planned', { ...ids, rows }),
    ...requests.flatMap((request) => stepsOfRequest(ids, request)),
  ];
}

export function givenSteps(
  storeClientId: string,
  { commandId, eventId, detailType, time }: RequestCommand,
): TraceStep[] {
  return stepAt(time, 'command.given', { storeClientId, commandId, eventId, detailType });
}

function stepsOfRequest(ids: CommandIds, { record, batch }: FollowedRequest): TraceStep[] {
  const { recordId, signedAt, createdAt, state, fault, appliedAt, touchedAt } = record;
  const its = { ...ids, recordId };
  const begun = signedAt === undefined ? 'request.prepared' : 'request.sent';
  const outcome = isEnded(record) ? undefined : 'open';
  const first = stepAt(signedAt ?? createdAt, begun, { ...its, outcome });
  if (outcome === 'open') return first;
  const at = appliedAt ?? touchedAt;
  const { code, message, requestId } = fault ?? {};
  const positions = new Set<number | undefined>(positionsOf(record, ids));
  return [
    ...first,
    ...stepAt(at, 'request.ended', { ...its, outcome: state, code, message, requestId }),
    ...outcomeSteps(its, at, record),
    ...(batch ? stepsOfBatch(batch, ({ rowIndex }) => positions.has(rowIndex)) : []),
  ];
}

/** The outcome of each order, or of the document, of a request. */
function outcomeSteps(
  its: CommandIds & Pick<TraceStep, 'recordId'>,
  at: string,
  record: RequestRecord,
): TraceStep[] {
  const { kind, rows } = record;
  if (kind === 'order-decision' || kind === 'dropoff') {
    const ends = endsOf(record);
    return positionsOf(record, its).flatMap((position) => {
      const { state: outcome, code, message, batchId, requestId } = ends[position] ?? { state: 'unknown' };
      const { index: rowIndex, ...row } = rows[position] ?? { index: position };
      const named = { rowIndex, ...rowNamesSchema.parse(row) };
      const end = { outcome, code, message, batchId, requestId };
      return stepAt(at, `order.${actionOf(kind)}`, { ...its, ...named, ...end });
    });
  }
  const document = documentKindSchema.safeParse(kind).data;
  const outcome = document && outcomeOf(record);
  if (document === undefined || outcome === undefined) return [];
  const { orderId } = rows[0] ?? {};
  const end =
    'stored' in outcome
      ? { outcome: 'stored', message: outcome.stored.key }
      : { outcome: 'failed', code: outcome.failure.code, message: outcome.failure.message };
  return stepAt(at, `document.${document}`, { ...its, orderId, ...end });
}

/** Positions in a request of the rows of a command. */
function positionsOf({ rows, commands }: RequestRecord, { commandId }: CommandIds): number[] {
  return rows.flatMap(({ command }, position) =>
    commands[command]?.commandId === commandId ? [position] : [],
  );
}

/** The step of a row, command or event that was rejected without being sent. */
export function stepsOfRejection(rejection: Rejection): TraceStep[] {
  const { storeClientId, eventId, commandId, detailType } = rejection;
  const { target, field, rowIndex, code, message, batchId } = rejection;
  const ids = { storeClientId, eventId, commandId, detailType, target, field, rowIndex, batchId };
  const names = rowNamesSchema.parse(rejection);
  return stepAt(rejection.rejectedAt, 'row.rejected', { ...ids, ...names, code, message });
}
