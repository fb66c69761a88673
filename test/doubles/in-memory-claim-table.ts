import type { CommandClaim } from '../../shared/commands/model.ts';
import type { ClaimTable } from '../../shared/commands/ports.ts';
import { claimed } from '../../shared/commands/rules/claim.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** Who does which command, in memory; tables over the same `items` are one table. */
export function inMemoryClaimTable(
  step: Step = directly,
  items: VersionedItems<CommandClaim> = new VersionedItems(),
): ClaimTable {
  return {
    claim: async (key, claim) => {
      const table = { items, key, step, name: 'claims' };
      return (await updateItem(table, (current) => claimed(current, claim), 'none')) ?? claim;
    },
  };
}
