import type { CommandStep } from '../../shared/commands/model.ts';
import type { CommandTable } from '../../shared/commands/ports.ts';
import { isOpen } from '../../shared/commands/rules/steps.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** The Commands table in memory; tables over the same `items` are one table. */
export function inMemoryCommandTable(
  step: Step = directly,
  items: VersionedItems<CommandStep> = new VersionedItems(),
): CommandTable {
  return {
    update: (commandId, change) => updateItem({ items, key: commandId, step, name: 'commands' }, change),

    listOpen: ({ begunBefore, ...query }) =>
      step('commands.open', () => {
        const open = items
          .all()
          .filter((found) => isOpen(found) && (found.begunAt ?? '') < begunBefore)
          .sort((a, b) => compareText(a.begunAt ?? '', b.begunAt ?? ''));
        const { page, ...cursor } = pageOf(open, ({ commandId }) => commandId, query);
        return { steps: page, ...cursor };
      }),
  };
}
