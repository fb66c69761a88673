import type { EventPublisher } from '../../events/ports.ts';
import type { ActionOutcome } from '../rules/claim.ts';
import { referenceOf } from '../rules/order-key.ts';
import type { SettledAttempt } from './end-orders.ts';
import { reportUnknown } from './report-unknown.ts';

/** Tells of the orders that were decided and of those that nobody can tell of; its batch tells of a dropoff's rows. */
export async function announceOutcomes(
  ports: { readonly events: EventPublisher },
  { command, rows }: SettledAttempt,
  outcomes: readonly ActionOutcome[],
): Promise<void> {
  const { storeClientId, commandId } = command;
  const decided = rows.flatMap(({ item }, position) => {
    if (outcomes[position]?.state !== 'done' || item.decision === undefined) return [];
    return [{ ...referenceOf(item), decision: item.decision }];
  });
  if (decided.length > 0) {
    await ports.events.publish([
      { detailType: 'orders.decided', detail: { storeClientId, commandId, orders: decided } },
    ]);
  }
  const unknown = rows.filter((_, position) => outcomes[position]?.state === 'unknown');
  const { code = 'UNKNOWN', message = code } = outcomes.find(({ state }) => state === 'unknown') ?? {};
  await reportUnknown(
    ports,
    command,
    unknown.map(({ item }) => item),
    { code, message },
  );
}
