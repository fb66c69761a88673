import { stepKey } from '../../commands/model.ts';
import { done, refused, waitedFor } from '../../commands/rules/steps.ts';
import { type ReportOncePorts, reportOnce } from '../../commands/use-cases/report-once.ts';
import { reportRefused } from '../../commands/use-cases/report-refused.ts';
import { dropStep, type RunStepPorts, runStep, type StepRequest } from '../../commands/use-cases/run-step.ts';
import { type SendAgainPorts, sendAgain } from '../../commands/use-cases/send-again.ts';
import { type RearmTargetsPorts, rearmTargets } from '../../listings/use-cases/rearm-targets.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { ProductChanges } from '../../marketplace/product-request.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedText } from '../../rejections/rules/bounded.ts';
import type { Store } from '../../stores/model.ts';
import type { Clock } from '../../time/clock.ts';
import type { ProductCommand, RowFault } from '../model.ts';
import type { ProductCalls } from '../ports.ts';
import { checkUpdate } from '../rules/check-update.ts';
import { faultOfRefusal, isAboutRows } from '../rules/refusal.ts';
import { rejectionOfCommand } from '../rules/row-rejection.ts';
import { skusOf, splitUpdate } from '../rules/split-update.ts';
import { type ChangeListingPorts, changeListing } from './change-listing.ts';
import { type InTurnPorts, inTurn, isProductBusy, newestOf, type Turn, turnKey } from './in-turn.ts';

export interface UpdateProductPorts
  extends RunStepPorts,
    ReportOncePorts,
    SendAgainPorts,
    InTurnPorts,
    ChangeListingPorts,
    RearmTargetsPorts {
  readonly clock: Clock;
  readonly calls: Pick<ProductCalls, 'getProduct' | 'updateProduct'>;
}

export interface UpdateCommand extends ProductCommand {
  readonly productId: string;
  /** As they came: still to be checked. */
  readonly changes: Readonly<Record<string, unknown>>;
  /** Of its price and stock, in a store with integer versions. */
  readonly version?: number | undefined;
}

/** Code of an update that was not sent, as newer ones have set all its fields. */
const OVERTAKEN = 'OVERTAKEN';

/**
 * Updates one product (§4.7). Its stock and price, and its variants', become changes of listings, as old as the command
 * (design §5.1); what is left goes out as one request, after any other update of the product. An update that breaks a
 * rule is rejected whole.
 *
 * @throws {ConnectorError | MarketplaceError} when the update is to be done by a later delivery.
 */
export async function updateProduct(
  ports: UpdateProductPorts,
  command: UpdateCommand,
  store: Store,
): Promise<{ requests: number; rejected: number }> {
  const checked = checkUpdate(command.productId, command.changes);
  if ('fault' in checked) return reject(ports, command, checked.fault);
  const parts = splitUpdate(checked.changes, store.names);
  try {
    const fault = await changeListing(ports, { ...command, changes: checked.changes, store }, parts);
    if (fault !== undefined) return await reject(ports, command, fault);
    return { requests: (await sendInTurn(ports, command, store, parts.product)) ? 1 : 0, rejected: 0 };
  } catch (error) {
    if (!(error instanceof MarketplaceError) || !isAboutRows(error)) throw error;
    const fault = faultOfRefusal(error);
    const kept = await ports.commands.update(keyOf(command, 'update'), (current) =>
      refused(current, [rejectionOf(command, fault)], error.code),
    );
    // What was refused was the look at the price that a special price is to go with: nothing was sent.
    if (kept === undefined) return reject(ports, command, fault);
    await reportRefused(ports, kept);
    return { requests: 0, rejected: 1 };
  }
}

async function sendInTurn(
  ports: UpdateProductPorts,
  command: UpdateCommand,
  store: Store,
  product: ProductChanges,
): Promise<boolean> {
  const fields = Object.keys(product);
  if (fields.length === 0) return false;
  const { storeClientId, productId, commandId, time } = command;
  try {
    return await inTurn(ports, turnKey(storeClientId, productId), { commandId, time, fields }, (turn) =>
      sendNewest(ports, command, store, { product, turn }),
    );
  } catch (error) {
    if (isProductBusy(error)) await stayOpen(ports, command);
    throw error;
  }
}

/** A step that waits for its turn is not abandoned, however long it waits. */
async function stayOpen(ports: UpdateProductPorts, command: UpdateCommand): Promise<void> {
  const at = new Date(ports.clock.now()).toISOString();
  await ports.commands.update(keyOf(command, 'update'), (current) => waitedFor(current, at));
}

/** Sends the fields that no newer command has set; the others are as the partner wants them already. */
async function sendNewest(
  ports: UpdateProductPorts,
  command: UpdateCommand,
  store: Store,
  { product, turn }: { readonly product: ProductChanges; readonly turn: Turn },
): Promise<boolean> {
  const changes = newestOf(product, turn);
  if (changes === undefined) {
    await overtake(ports, command);
    return false;
  }
  return sendAgain(ports, () => patch(ports, command, store, { changes, turn }));
}

/** Ends the step of an update that need not be sent; also after a try of unknown outcome: whatever it did is overtaken. */
async function overtake(ports: UpdateProductPorts, command: UpdateCommand): Promise<void> {
  const at = new Date(ports.clock.now()).toISOString();
  const step = await ports.commands.update(keyOf(command, 'update'), (current) =>
    current?.rejections === undefined ? done(current, { code: OVERTAKEN }, at) : undefined,
  );
  await reportRefused(ports, step);
}

function patch(
  ports: UpdateProductPorts,
  command: UpdateCommand,
  store: Store,
  { changes, turn }: { readonly changes: ProductChanges; readonly turn: Turn },
): Promise<boolean> {
  const { productId, storeClientId } = command;
  return runStep(ports, requestOf(command, changes), {
    send: async ({ onAttempt }) => {
      const leave: CallOptions['onAttempt'] = async (attempt) => {
        await onAttempt?.(attempt);
        await turn.extend(attempt.signedAt);
      };
      try {
        return await ports.calls.updateProduct(store, { productId, changes }, { onAttempt: leave });
      } catch (error) {
        if (error instanceof MarketplaceError && error.outcome === 'unknown') turn.doubt();
        throw error;
      }
    },
    settle: async () => {
      // The update may have created variants whose values were pushed before there was anything to take them.
      const created = skusOf(changes).map((sku) => `sku:${sku}`);
      await rearmTargets(ports, storeClientId, created, {
        time: Number.POSITIVE_INFINITY,
        at: ports.clock.now(),
      });
      await turn.settle();
      return {};
    },
    finish: (step) => reportRefused(ports, step),
  });
}

function requestOf(command: UpdateCommand, changes: UpdateCommand['changes']): StepRequest {
  const { productId: id, storeClientId, commandId } = command;
  return {
    key: keyOf(command, 'update'),
    storeClientId,
    commandId,
    kind: 'product-update',
    sent: [{ id, changes }],
    rows: [{ rowIndex: 0, id }],
  };
}

/**
 * Drops an update that was discarded. One that was sent keeps its outcome, and where that is not known it is read back
 * by the sweeper.
 */
export async function dropUpdate(
  ports: Pick<UpdateProductPorts, 'commands' | 'clock' | 'rejections' | 'events'>,
  command: UpdateCommand,
  fault: RowFault,
): Promise<{ requests: number; rejected: number }> {
  const step = await dropStep(ports, requestOf(command, command.changes), [rejectionOf(command, fault)]);
  if (step?.state === 'answered') await reportRefused(ports, step);
  return { requests: 0, rejected: step?.rejections?.length ?? 0 };
}

async function reject(
  ports: UpdateProductPorts,
  command: UpdateCommand,
  fault: RowFault,
): Promise<{ requests: number; rejected: number }> {
  await reportOnce(ports, keyOf(command, `rejections#${command.detailType}`), [rejectionOf(command, fault)]);
  return { requests: 0, rejected: 1 };
}

function rejectionOf(command: UpdateCommand, fault: RowFault): Rejection {
  return { ...rejectionOfCommand(command, fault), id: boundedText(command.productId) };
}

function keyOf({ storeClientId, commandId }: UpdateCommand, step: string): string {
  return stepKey(storeClientId, commandId, step);
}
