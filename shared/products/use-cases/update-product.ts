import { stepKey } from '../../commands/model.ts';
import { type ReportOncePorts, reportOnce } from '../../commands/use-cases/report-once.ts';
import { endStep, type RunStepPorts, runStep } from '../../commands/use-cases/run-step.ts';
import { type SendAgainPorts, sendAgain } from '../../commands/use-cases/send-again.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { ProductChanges } from '../../marketplace/product-request.ts';
import type { StoreCredentials } from '../../stores/model.ts';
import type { Clock } from '../../time/clock.ts';
import type { ProductCommand, RowFault } from '../model.ts';
import type { ListingChangeQueue, ProductCalls } from '../ports.ts';
import { checkUpdate } from '../rules/check-update.ts';
import { faultOfRefusal, isAboutRows } from '../rules/refusal.ts';
import { rejectionOfCommand } from '../rules/row-rejection.ts';
import { splitUpdate } from '../rules/split-update.ts';

export interface UpdateProductPorts extends RunStepPorts, ReportOncePorts, SendAgainPorts {
  readonly clock: Clock;
  readonly calls: ProductCalls;
  readonly changes: ListingChangeQueue;
}

export interface UpdateCommand extends ProductCommand {
  readonly productId: string;
  /** As they came: still to be checked. */
  readonly changes: Readonly<Record<string, unknown>>;
}

/**
 * Updates one product (§4.7). Its stock and price become changes of its listing, as old as the command (design §5.1);
 * what is left goes out as one request. An update that breaks a rule is rejected whole.
 *
 * @throws {MarketplaceError} when the update is to be done by a later delivery.
 */
export async function updateProduct(
  ports: UpdateProductPorts,
  command: UpdateCommand,
  store: StoreCredentials,
): Promise<{ requests: number; rejected: number }> {
  const checked = checkUpdate(command.productId, command.changes);
  if ('fault' in checked) return reject(ports, command, checked.fault);
  const { product, listing } = splitUpdate(command.productId, checked.changes);
  const { storeClientId, commandId, time } = command;
  await ports.changes.send({ storeClientId, commandId, occurredAt: time, ...listing });
  if (Object.keys(product).length === 0) return { requests: 0, rejected: 0 };
  try {
    const sent = await sendAgain(ports, () => patch(ports, command, store, product));
    return { requests: sent ? 1 : 0, rejected: 0 };
  } catch (error) {
    if (!(error instanceof MarketplaceError) || !isAboutRows(error)) throw error;
    const rejected = await reject(ports, command, faultOfRefusal(error));
    await endStep(ports, keyOf(command, 'update'), { code: error.code });
    return rejected;
  }
}

function patch(
  ports: UpdateProductPorts,
  command: UpdateCommand,
  store: StoreCredentials,
  changes: ProductChanges,
): Promise<boolean> {
  const { productId, storeClientId, commandId } = command;
  const rows = [{ rowIndex: 0, id: productId }];
  return runStep(
    ports,
    { key: keyOf(command, 'update'), storeClientId, commandId, kind: 'product-update', rows },
    (options) => ports.calls.updateProduct(store, { productId, changes }, options),
    async () => ({}),
  );
}

async function reject(
  ports: UpdateProductPorts,
  command: UpdateCommand,
  fault: RowFault,
): Promise<{ requests: number; rejected: number }> {
  const rejection = { ...rejectionOfCommand(command, fault), id: command.productId.slice(0, 200) };
  await reportOnce(ports, keyOf(command, 'rejections'), [rejection]);
  return { requests: 0, rejected: 1 };
}

function keyOf({ storeClientId, commandId }: UpdateCommand, step: string): string {
  return stepKey(storeClientId, commandId, step);
}
