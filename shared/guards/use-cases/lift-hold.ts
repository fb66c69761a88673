import type { TicketQueue } from '../../lanes/ports.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { DropReport } from '../model.ts';
import type { GuardTable } from '../ports.ts';
import { lifted } from '../rules/price-guard.ts';
import { type DropValuesPorts, dropValues } from './drop-values.ts';

export interface LiftHoldPorts extends DropValuesPorts {
  readonly guards: GuardTable;
  readonly tickets: TicketQueue;
}

/** Lets held prices go: they leave with the raises behind them. */
export async function releasePrices(
  ports: Pick<LiftHoldPorts, 'guards' | 'tickets'>,
  storeClientId: string,
): Promise<void> {
  await ports.guards.update(storeClientId, (current) => current && lifted(current));
  await ports.tickets.send([{ storeClientId }]);
}

/**
 * Drops every price that waits, and lifts the hold after the last of them. What is left when the time is up is still
 * held.
 */
export async function discardPrices(ports: LiftHoldPorts, storeClientId: string): Promise<DropReport> {
  const report = await dropValues(ports, storeClientId, 'prices');
  if (report.done) await releasePrices(ports, storeClientId);
  return report;
}

/**
 * Drops everything that waits for a store: its prices and stock, and the commands that were given until now, which are
 * rejected when they come. What is left when the time is up still waits.
 */
export async function discardEverything(
  ports: LiftHoldPorts & { readonly stores: Pick<StoreTable, 'discardCommands'> },
  storeClientId: string,
): Promise<DropReport> {
  await ports.stores.discardCommands(storeClientId, new Date(ports.clock.now()).toISOString());
  const report = await dropValues(ports, storeClientId, 'prices and stock');
  if (report.done) await releasePrices(ports, storeClientId);
  return report;
}
