import { definedOf } from '../collections/defined-of.ts';
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
import type { TraceStep } from './model.ts';

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
    ...(own ? [givenStep(ids.storeClientId, own)] : []),
    { at: plan.plannedAt, what: 'command.planned', ...ids, rows },
    ...requests.flatMap((request) => stepsOfRequest(ids, request)),
  ];
}

export function givenStep(
  storeClientId: string,
  { commandId, eventId, detailType, time }: RequestCommand,
): TraceStep {
  return {
    at: new Date(time).toISOString(),
    what: 'command.given',
    storeClientId,
    commandId,
    eventId,
    detailType,
  };
}

function stepsOfRequest(ids: CommandIds, { record, batch }: FollowedRequest): TraceStep[] {
  const { recordId, signedAt, createdAt, state, fault, appliedAt, touchedAt } = record;
  const its = { ...ids, recordId };
  const begun: TraceStep = {
    at: signedAt === undefined ? createdAt : new Date(signedAt).toISOString(),
    what: signedAt === undefined ? 'request.prepared' : 'request.sent',
    ...its,
  };
  if (!isEnded(record)) return [{ ...begun, outcome: 'open' }];
  const at = appliedAt ?? touchedAt;
  const { code, message, requestId } = fault ?? {};
  const positions = new Set<number | undefined>(positionsOf(record, ids));
  return [
    begun,
    { at, what: 'request.ended', ...its, outcome: state, ...definedOf({ code, message, requestId }) },
    ...outcomeSteps({ ...its, at }, record),
    ...(batch ? stepsOfBatch(batch, ({ rowIndex }) => positions.has(rowIndex)) : []),
  ];
}

/** The outcome of each order, or of the document, of a request. */
function outcomeSteps(
  its: CommandIds & Pick<TraceStep, 'at' | 'recordId'>,
  record: RequestRecord,
): TraceStep[] {
  const { kind, rows } = record;
  if (kind === 'order-decision' || kind === 'dropoff') {
    const ends = endsOf(record);
    return positionsOf(record, its).map((position): TraceStep => {
      const { state: outcome, code, message, batchId, requestId } = ends[position] ?? { state: 'unknown' };
      const { index: rowIndex, ...row } = rows[position] ?? { index: position };
      const named = { rowIndex, ...rowNamesSchema.parse(row) };
      return {
        ...its,
        what: `order.${actionOf(kind)}`,
        ...named,
        outcome,
        ...definedOf({ code, message, batchId, requestId }),
      };
    });
  }
  const document = documentKindSchema.safeParse(kind).data;
  const outcome = document && outcomeOf(record);
  if (document === undefined || outcome === undefined) return [];
  const { orderId } = rows[0] ?? {};
  const what = { what: `document.${document}` as const, ...its, ...definedOf({ orderId }) };
  if ('stored' in outcome) return [{ ...what, outcome: 'stored', message: outcome.stored.key }];
  const { code, message } = outcome.failure;
  return [{ ...what, outcome: 'failed', code, message }];
}

/** Positions in a request of the rows of a command. */
function positionsOf({ rows, commands }: RequestRecord, { commandId }: CommandIds): number[] {
  return rows.flatMap(({ command }, position) =>
    commands[command]?.commandId === commandId ? [position] : [],
  );
}

/** The step of a row, command or event that was rejected without being sent. */
export function stepOfRejection(rejection: Rejection): TraceStep {
  const { rejectedAt, storeClientId, eventId, commandId, detailType } = rejection;
  const { target, field, rowIndex, code, message, batchId } = rejection;
  const ids = definedOf({ eventId, commandId, detailType, target, field, rowIndex, batchId });
  const names = rowNamesSchema.parse(rejection);
  return { at: rejectedAt, what: 'row.rejected', storeClientId, ...ids, ...names, code, message };
}
