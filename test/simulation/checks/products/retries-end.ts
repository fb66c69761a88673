import type { GivenRow } from '../../world/products/given-commands.ts';
import type { ProductWorld } from '../../world/products/product-world.ts';
import { unbatched } from '../batch-rejections.ts';
import { checkOutcome } from './commands-end.ts';
import type { GivenRetry } from './given-retries.ts';
import { accountsByTag, type RowAccount } from './row-accounts.ts';

/** After quiescence: each row of each retry has one outcome, in a batch that names the batch in which it failed. */
export function checkRetriesEnd(world: ProductWorld, dead: ReadonlySet<string>): void {
  const rows = new Map<string, GivenRow>();
  for (const command of world.commands.values()) {
    if (command.kind === 'creation') for (const row of command.rows) rows.set(row.tag, row);
  }
  for (const retry of world.retries.all()) checkRetry(world, retry, rows, dead.has(retry.commandId));
}

function checkRetry(
  world: ProductWorld,
  { commandId, retryOf, tags }: GivenRetry,
  rows: ReadonlyMap<string, GivenRow>,
  isDead: boolean,
): void {
  const { simulation, tables, effects } = world;
  const batched = accountsByTag(tables, commandId);
  for (const [index, tag] of tags.entries()) {
    const refused = unbatched(tables.rejections)
      .filter((rejection) => rejection.commandId === commandId && rejection.rowIndex === index)
      .map((rejection): RowAccount => ({ outcome: 'rejected before it was sent', rejection }));
    const found = [...(batched.get(tag) ?? []), ...refused];
    const [account] = found;
    const row = rows.get(tag);
    if (account === undefined && isDead && effects.madeBy.get(tag) !== commandId) continue;
    if (account === undefined || row === undefined || found.length > 1) {
      simulation.violate(`P3: row ${tag} of ${commandId} has ${found.length} outcomes`);
      continue;
    }
    checkOutcome(world, row, account, commandId);
    if ('batch' in account && account.batch.retryOf !== retryOf) {
      simulation.violate(`P3: ${account.batch.batchId} of ${commandId} names ${account.batch.retryOf}`);
    }
  }
}
