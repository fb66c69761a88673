import { outcomeOf } from '../documents/document-domain.ts';
import { documentKindSchema } from '../marketplace/fields.ts';
import { namesOf } from '../marketplace/row-outcomes.ts';
import { actionOf, type OrderReference } from '../orders/model.ts';
import { endsOf, type RowEnd } from '../orders/rules/request-ends.ts';
import { updateAnswerOf } from '../products/update-requests.ts';
import type { Rejection } from '../rejections/model.ts';
import type { CommandPlan, CommandWait, RequestCommand, RequestRecord } from '../requests/model.ts';
import { answerIdsOf } from '../requests/rules/answer-ids.ts';
import type { IsoTime } from '../time/times.ts';
import { stepsOfBatch } from './batch-steps.ts';
import type { FollowedRequest } from './follow-command.ts';
import { stepAt, type TraceStep } from './model.ts';

/** The records about a command. */
interface FollowedCommand {
  readonly plan?: CommandPlan | undefined;
  readonly wait?: CommandWait | undefined;
  readonly requests: readonly FollowedRequest[];
}

interface CommandIds {
  readonly storeClientId: string;
  readonly commandId: string;
}

/**
 * The steps of a command: when it was given, why it waits, its requests, their batches, and the outcome of its rows.
 *
 * @param plan absent until the command is planned.
 * @param wait why the command waits, or has waited.
 */
export function stepsOfCommand(
  { storeClientId, commandId }: CommandIds,
  { plan, wait, requests }: FollowedCommand,
): TraceStep[] {
  const ids = { storeClientId, commandId };
  const own = requests
    .flatMap(({ record }) => record.commands)
    .find((command) => command.commandId === commandId);
  const given = own ?? wait;
  const isOpen = plan === undefined || requests.some(({ record }) => record.appliedAt === undefined);
  return [
    ...(given ? givenSteps(storeClientId, given) : []),
    ...(plan ? stepAt(plan.plannedAt, 'command.planned', { ...ids, rows: rowsOf(ids, plan, requests) }) : []),
    ...requests.flatMap((request) => stepsOfRequest(ids, request)),
    ...(wait && isOpen ? waitSteps(wait) : []),
  ];
}

/** Rows that reached the marketplace, and those that were rejected without it. */
function rowsOf(
  ids: CommandIds,
  { rejected }: CommandPlan,
  requests: readonly FollowedRequest[],
): NonNullable<TraceStep['rows']> {
  let sent = 0;
  let given = rejected;
  for (const { record } of requests) {
    const positions = positionsOf(record, ids);
    given += positions.length;
    if (record.tries === 0) continue;
    const ends = isOfOrders(record) && record.appliedAt !== undefined ? endsOf(record) : [];
    sent += positions.filter((position) => ends[position]?.wasSent ?? ends.length === 0).length;
  }
  return { given, sent, rejected };
}

export function givenSteps(
  storeClientId: string,
  {
    commandId,
    eventId,
    detailType,
    time,
  }: Pick<RequestCommand, 'commandId' | 'eventId' | 'detailType' | 'time'>,
): TraceStep[] {
  return stepAt(time, 'command.given', { storeClientId, commandId, eventId, detailType });
}

function waitSteps(wait: CommandWait): TraceStep[] {
  const { storeClientId, commandId, detailType, at, code, message, nextAt } = wait;
  const facts = {
    storeClientId,
    commandId,
    detailType,
    outcome: 'open',
    code,
    message: `waits: ${message}`,
    until: nextAt,
  };
  return stepAt(at, 'command.waiting', facts);
}

/** The tries of a request that its record has. */
export function triesOf(ids: Partial<CommandIds> & OrderReference, record: RequestRecord): TraceStep[] {
  const { storeClientId, recordId, attempts = [] } = record;
  return attempts.flatMap(({ at, ...end }) =>
    stepAt(at, 'request.tried', { storeClientId, ...ids, recordId, ...end }),
  );
}

function stepsOfRequest(ids: CommandIds, { record, batch }: FollowedRequest): TraceStep[] {
  const { recordId, signedAt, createdAt, state, fault, appliedAt } = record;
  const its = { ...ids, recordId };
  const begun = signedAt === undefined ? 'request.prepared' : 'request.sent';
  // Until `appliedAt`, the answer is known but not the outcome of the rows: their batch is not recorded yet.
  const outcome = appliedAt === undefined ? 'open' : undefined;
  const first = [...triesOf(ids, record), ...stepAt(signedAt ?? createdAt, begun, { ...its, outcome })];
  if (appliedAt === undefined) return first;
  const { code, message, status } = fault ?? {};
  const ended = isSuperseded(record) ? SUPERSEDED : { outcome: state, code, message, status };
  const { requestId } = answerIdsOf(record);
  const positions = new Set<number | undefined>(positionsOf(record, ids));
  return [
    ...first,
    ...stepAt(appliedAt, 'request.ended', { ...its, ...ended, requestId }),
    ...outcomeSteps(its, appliedAt, record),
    ...(batch ? stepsOfBatch(batch, ({ rowIndex }) => positions.has(rowIndex)) : []),
  ];
}

const SUPERSEDED = {
  outcome: 'superseded',
  message: 'newer updates have set all of its fields: nothing was sent',
};

function isSuperseded(record: RequestRecord): boolean {
  return (
    record.kind === 'product-update' && record.tries === 0 && updateAnswerOf(record).isSuperseded === true
  );
}

function isOfOrders({ kind }: RequestRecord): boolean {
  return kind === 'order-decision' || kind === 'dropoff';
}

/** The outcome of each order, or of the document, of a request. */
function outcomeSteps(
  its: CommandIds & Pick<TraceStep, 'recordId'>,
  at: IsoTime,
  record: RequestRecord,
): TraceStep[] {
  const { kind, rows } = record;
  if (isOfOrders(record)) {
    const ends = endsOf(record);
    return positionsOf(record, its).flatMap((position) => {
      const {
        state: outcome,
        decision,
        code,
        message,
        batchId,
        requestId,
      }: RowEnd = ends[position] ?? {
        state: 'unknown',
      };
      const { index: rowIndex, ...row } = rows[position] ?? { index: position };
      const named = { rowIndex, ...namesOf(row) };
      const end = { outcome, decision, code, message, batchId, requestId };
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
  return stepAt(rejection.rejectedAt, 'row.rejected', { ...ids, ...namesOf(rejection), code, message });
}
