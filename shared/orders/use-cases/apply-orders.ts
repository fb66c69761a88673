import { answeredRows } from '../../batches/rules/answered-rows.ts';
import { recordSubmission } from '../../batches/use-cases/record-batch.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { chunk } from '../../collections/packer.ts';
import { MAX_ORDERS_PER_EVENT, type OutgoingEvent } from '../../events/outgoing.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { RequestRecord, RequestRow } from '../../requests/model.ts';
import { triesIn } from '../../requests/rules/attempts.ts';
import { type CommandFault, rejectionsOf } from '../../requests/rules/rejection.ts';
import { actionOf, orderKeyOf, referenceOf } from '../model.ts';
import type { OrderEndPorts } from '../ports.ts';
import { ended } from '../rules/order-action.ts';
import { batchIdOf, endsOf, orderRequestAnswerSchema, type RowEnd } from '../rules/request-ends.ts';

interface EndedRow {
  readonly row: RequestRow;
  readonly end: RowEnd;
}

/**
 * Makes the effects of an ended request durable: the batch of dropoffs, the records of its orders, rejections, events.
 * Idempotent, but may publish events again.
 */
export async function applyOrders(ports: OrderEndPorts, record: RequestRecord): Promise<void> {
  const ends = endsOf(record);
  const rows = record.rows.flatMap((row, position): EndedRow[] => {
    const end = ends[position];
    return end === undefined ? [] : [{ row, end }];
  });
  const sent = rows.filter(({ end }) => end.wasSent);
  const batchId = await recordDropoffs(ports, record, sent);
  await forEachConcurrently(sent, AT_A_TIME, (one) => endOrder(ports, record, one, batchId));
  const rejections = rejectionsOf(record, (position) => ends[position] && faultOf(ends[position]));
  await reportRejections(ports, rejections);
  // Accepted dropoffs are reported by the events of their batch.
  await ports.events.publish([...decidedEvents(record, sent), ...unknownEvents(record, sent)]);
}

/** Records the batch of dropoffs. @returns its ID; `undefined` for a request without a batch. */
async function recordDropoffs(
  ports: OrderEndPorts,
  record: RequestRecord,
  sent: readonly EndedRow[],
): Promise<string | undefined> {
  const report = orderRequestAnswerSchema.safeParse(record.answer).data?.report;
  const given = report && batchIdOf(record, report);
  if (report === undefined || given === undefined) return undefined;
  const { storeClientId, recordId, signedAt = Date.parse(record.createdAt) } = record;
  const names = sent.map(({ row }) => referenceOf(row));
  const { batchId } = await recordSubmission(ports, {
    batchId: given,
    ...(report.requestId !== undefined && { requestId: report.requestId }),
    kind: 'dropoff',
    storeClientId,
    attemptId: recordId,
    commandId: record.commands[0]?.commandId,
    submittedAt: new Date(signedAt).toISOString(),
    deadlineAt: new Date(signedAt + ports.batchDeadlineMs).toISOString(),
    ...answeredRows(names, report),
    names,
    endsBy: 'answer',
    ...definedOf({ tries: triesIn(record) }),
  });
  return batchId;
}

async function endOrder(
  { orders, clock, attemptLifetimeMs }: OrderEndPorts,
  record: RequestRecord,
  { row, end }: EndedRow,
  batchId: string | undefined,
): Promise<void> {
  const { storeClientId, recordId, signedAt = Date.parse(record.createdAt) } = record;
  const { wasSent: _, ...facts } = end;
  const { commandId = '' } = record.commands[row.command] ?? {};
  const action = actionOf(record.kind);
  const orderKey = orderKeyOf(row);
  const of = { recordId, commandId, signedAt, attemptLifetimeMs };
  const its = { ...facts, ...definedOf({ batchId, tries: triesIn(record) }), ...of };
  await orders.update(storeClientId, orderKey, (current) => {
    const next = ended(current?.[action], its, clock.now());
    return next && { storeClientId, orderKey, ...referenceOf(row), ...current, [action]: next };
  });
}

/** The fault of a rejected row that no batch reports. */
function faultOf({
  state,
  wasSent,
  batchId,
  code,
  message = '',
  requestId,
}: RowEnd): CommandFault | undefined {
  const isRejected = state === 'rejected' && (!wasSent || batchId === undefined);
  if (!isRejected || code === undefined) return undefined;
  return { code, message, ...(requestId !== undefined && { details: { requestId } }) };
}

function decidedEvents(
  { storeClientId, commands }: RequestRecord,
  sent: readonly EndedRow[],
): OutgoingEvent[] {
  const decided = sent.flatMap(({ row, end }) => {
    const commandId = commands[row.command]?.commandId ?? '';
    return end.state === 'accepted' && end.decision
      ? [{ ...referenceOf(row), decision: end.decision, commandId }]
      : [];
  });
  return chunk(decided, MAX_ORDERS_PER_EVENT).map((orders): OutgoingEvent => {
    const [commandId = '', ...others] = new Set(orders.map((order) => order.commandId));
    const detail =
      others.length > 0
        ? { storeClientId, orders }
        : { storeClientId, commandId, orders: orders.map(({ commandId: _, ...order }) => order) };
    return { detailType: 'orders.decided', detail };
  });
}

function unknownEvents(
  { storeClientId, commands, kind }: RequestRecord,
  sent: readonly EndedRow[],
): OutgoingEvent[] {
  return [...Map.groupBy(sent, ({ row }) => row.command)].flatMap(([position, rows]) => {
    const commandId = commands[position]?.commandId ?? '';
    const unknown = rows.filter(({ end }) => end.state === 'unknown');
    const { code = 'UNKNOWN', message = code } = unknown[0]?.end ?? {};
    return chunk(unknown, MAX_ORDERS_PER_EVENT).map((part): OutgoingEvent => {
      const orders = part.map(({ row, end }) => ({
        ...referenceOf(row),
        ...(end.decision && { decision: end.decision }),
      }));
      return {
        detailType: 'orders.unknown',
        detail: { storeClientId, commandId, action: actionOf(kind), code, message, orders },
      };
    });
  });
}
