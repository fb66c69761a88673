import { readEach } from '../../shared/aws/read-record.ts';
import { type CommandStep, commandStepSchema } from '../../shared/commands/model.ts';
import type { CommandTable } from '../../shared/commands/ports.ts';
import { isOpen } from '../../shared/commands/rules/steps.ts';
import { compareText, pageOf } from './page-of.ts';
import { recordReader } from './record-reader.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

const read = recordReader('Commands', 'commandId', commandStepSchema);

/** The Commands table in memory; tables over the same `items` are one table. */
export function inMemoryCommandTable(
  step: Step = directly,
  items: VersionedItems<CommandStep> = new VersionedItems(),
): CommandTable {
  return {
    update: (commandId, change) =>
      updateItem({ items, key: commandId, step, name: 'commands' }, (current) =>
        change(current && read(current)),
      ),

    listOpen: ({ begunBefore, ...query }) =>
      step('commands.open', () => {
        const open = items
          .all()
          .filter((found) => isOpen(found) && (found.begunAt ?? '') < begunBefore)
          .sort((a, b) => compareText(a.begunAt ?? '', b.begunAt ?? ''));
        const { page, ...cursor } = pageOf(open, ({ commandId }) => commandId, query);
        const { readable, unreadable } = readEach(page, read);
        return { steps: readable, unreadable, ...cursor };
      }),
  };
}
