import { definedOf } from '../collections/defined-of.ts';
import { mapConcurrently, READS_AT_A_TIME } from '../collections/for-each-concurrently.ts';
import type { OrderRecord, OrderView } from '../orders/model.ts';
import { type CommandWait, planKey } from '../requests/model.ts';
import type { RequestTable } from '../requests/ports.ts';
import { waitSeenAt } from '../requests/rules/deferral.ts';
import { endedRequests } from '../requests/use-cases/await-command.ts';
import type { Clock } from '../time/clock.ts';

export interface ViewOrdersPorts {
  readonly requests: Pick<RequestTable, 'get' | 'getPlans' | 'getWaits'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Orders, each with what a command about it waits for. Leaves out orders whose command ended before anything was sent for them. */
export async function viewOrders(
  ports: ViewOrdersPorts,
  orders: readonly OrderRecord[],
): Promise<OrderView[]> {
  const waits = await openWaits(ports, [...new Set(orders.flatMap(waitedKeys))]);
  return orders.flatMap((order): OrderView[] => {
    const { waited = [], ...known } = order;
    const own = waited.flatMap(({ document, ...one }) => {
      const wait = waits.get(planKey({ ...one, storeClientId: order.storeClientId }));
      return wait === undefined ? [] : [{ ...wait, ...definedOf({ document }) }];
    });
    if (own.length > 0) return [{ ...known, waits: own }];
    return known.decision || known.dropoff || known.documents ? [known] : [];
  });
}

function waitedKeys({ storeClientId, waited = [] }: OrderRecord): string[] {
  return waited.map((one) => planKey({ ...one, storeClientId }));
}

/** Why commands wait, for the commands with these plan keys that have not ended. */
async function openWaits(
  ports: ViewOrdersPorts,
  keys: readonly string[],
): Promise<ReadonlyMap<string, CommandWait>> {
  if (keys.length === 0) return new Map();
  const [plans, waits] = await Promise.all([ports.requests.getPlans(keys), ports.requests.getWaits(keys)]);
  const open = await mapConcurrently([...waits], READS_AT_A_TIME, async ([key, wait]) => {
    const plan = plans.get(key);
    const ended = plan && (await endedRequests(ports, plan.recordIds));
    return ended === undefined ? [[key, waitSeenAt(wait, ports.clock.now())] as const] : [];
  });
  return new Map(open.flat());
}
