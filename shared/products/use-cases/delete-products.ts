import { chunk } from '../../collections/chunk.ts';
import { stepKey } from '../../commands/model.ts';
import { outOfTime, type RequestTime } from '../../commands/request-time.ts';
import { refused } from '../../commands/rules/steps.ts';
import { type ReportOncePorts, reportOnce } from '../../commands/use-cases/report-once.ts';
import { reportRefused } from '../../commands/use-cases/report-refused.ts';
import { dropStep, type RunStepPorts, runStep, type StepRequest } from '../../commands/use-cases/run-step.ts';
import { type SendAgainPorts, sendAgain } from '../../commands/use-cases/send-again.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from '../../marketplace/errors.ts';
import { uuid } from '../../marketplace/fields.ts';
import type { DeletedProducts } from '../../marketplace/product-changes.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { Rejection } from '../../rejections/model.ts';
import type { Clock } from '../../time/clock.ts';
import type { ProductCommand, RowFault } from '../model.ts';
import type { ProductCalls } from '../ports.ts';
import { faultOfRefusal, isAboutRows } from '../rules/refusal.ts';
import { rejectionOfId } from '../rules/row-rejection.ts';

export interface DeleteProductsPorts extends RunStepPorts, ReportOncePorts, SendAgainPorts {
  readonly clock: Clock;
  readonly calls: ProductCalls;
  /** IDs per request at most. */
  readonly itemsPerRequest: number;
}

export interface DeleteCommand extends ProductCommand {
  readonly ids: readonly string[];
}

/** One ID of a command, by its position there. */
interface IdRow {
  readonly index: number;
  readonly id: string;
}

const NOT_UUID: RowFault = { code: 'ROW_INVALID', message: 'the id is not a UUID' };

/**
 * Deletes products by their IDs (§4.10). An ID that is none, or that the marketplace does not delete, is rejected by
 * itself.
 *
 * @throws {ConnectorError} OUT_OF_TIME when requests are left when the time is over.
 * @throws {MarketplaceError} when the rest of the command is to be done by a later delivery.
 */
export async function deleteProducts(
  ports: DeleteProductsPorts,
  command: DeleteCommand,
  store: StoreCredentials,
  time: RequestTime,
): Promise<{ requests: number; rejected: number }> {
  const { parts, bad } = partsOf(ports, command);
  let result = { requests: 0, rejected: await rejectBad(ports, command, bad) };
  for (const part of parts) {
    if (time.isOver) throw outOfTime(command.commandId);
    const { requests, rejected } = await deletePart(ports, command, { store, time }, part);
    result = { requests: result.requests + requests, rejected: result.rejected + rejected };
  }
  return result;
}

/**
 * Drops a deletion that was discarded. What of it was sent keeps its outcome, and where that is not known it is read
 * back by the sweeper.
 */
export async function dropDeletion(
  ports: Pick<DeleteProductsPorts, 'commands' | 'clock' | 'rejections' | 'events' | 'itemsPerRequest'>,
  command: DeleteCommand,
  fault: RowFault,
): Promise<{ requests: number; rejected: number }> {
  const { parts, bad } = partsOf(ports, command);
  let rejected = await rejectBad(ports, command, bad);
  for (const part of parts) {
    const rejections = part.rows.map((row) => rejectionOfId(command, row, fault));
    const step = await dropStep(ports, requestOf(command, part), rejections);
    if (step?.state === 'answered') await reportRefused(ports, step);
    rejected += step?.rejections?.length ?? 0;
  }
  return { requests: 0, rejected };
}

/** IDs that fit one request; `part` names them, the same at each delivery. */
interface DeletePart {
  readonly part: string;
  readonly rows: readonly IdRow[];
}

function partsOf(
  { itemsPerRequest }: Pick<DeleteProductsPorts, 'itemsPerRequest'>,
  { ids }: DeleteCommand,
): { parts: DeletePart[]; bad: IdRow[] } {
  const rows = ids.map((id, index) => ({ index, id }));
  const { good = [], bad = [] } = Object.groupBy(rows, ({ id }) =>
    uuid.safeParse(id).success ? 'good' : 'bad',
  );
  const parts = chunk(good, itemsPerRequest).map((some, index) => ({ part: String(index), rows: some }));
  return { parts, bad };
}

async function rejectBad(
  ports: ReportOncePorts,
  command: DeleteCommand,
  bad: readonly IdRow[],
): Promise<number> {
  const { storeClientId, commandId, detailType } = command;
  const rejections = bad.map((row) => rejectionOfId(command, row, NOT_UUID));
  await reportOnce(ports, stepKey(storeClientId, commandId, `rejections#${detailType}`), rejections);
  return rejections.length;
}

function requestOf({ storeClientId, commandId }: DeleteCommand, { part, rows }: DeletePart): StepRequest {
  const sent = rows.map(({ id }, rowIndex) => ({ rowIndex, id }));
  const key = stepKey(storeClientId, commandId, `delete#${part}`);
  return { key, storeClientId, commandId, kind: 'product-deletion', sent, rows: sent };
}

async function deletePart(
  ports: DeleteProductsPorts,
  command: DeleteCommand,
  { store, time }: { readonly store: StoreCredentials; readonly time: RequestTime },
  part: DeletePart,
): Promise<{ requests: number; rejected: number }> {
  const { rows } = part;
  const request = requestOf(command, part);
  const refuse = async (rejectionsAfter: (uncertain: boolean) => readonly Rejection[], code?: string) => {
    const kept = await ports.commands.update(request.key, (current) =>
      refused(current, rejectionsAfter(current?.uncertain === true), code),
    );
    await reportRefused(ports, kept);
    return kept?.rejections?.length ?? 0;
  };
  let rejected = 0;
  try {
    const sent = await sendAgain(ports, () =>
      runStep(ports, request, {
        send: (options) => {
          time.gotOn();
          return ports.calls.deleteProducts(store, { ids: rows.map(({ id }) => id) }, options);
        },
        settle: async (answer) => {
          rejected = await refuse((uncertain) => rejectionsIn(command, rows, answer, uncertain));
          return {};
        },
        finish: (step) => reportRefused(ports, step),
      }),
    );
    return { requests: sent ? 1 : 0, rejected };
  } catch (error) {
    if (!(error instanceof MarketplaceError) || !isAboutRows(error)) throw error;
    const fault = faultOfRefusal(error);
    rejected = await refuse(() => rows.map((row) => rejectionOfId(command, row, fault)), error.code);
    return { requests: 0, rejected };
  }
}

function rejectionsIn(
  command: DeleteCommand,
  rows: readonly IdRow[],
  { data }: DeletedProducts,
  uncertain: boolean,
): Rejection[] {
  return data.errors
    .filter(({ code }) => !(uncertain && code === PRODUCT_NOT_FOUND))
    .map(({ rowIndex, id, code, message }) => {
      const row = rows.find((sent, index) => index === rowIndex || sent.id === id);
      return rejectionOfId(command, row ?? { id: id ?? '' }, { code, message: message ?? code });
    });
}
