import type { CommandStep } from '../../../shared/commands/model.ts';
import type { CommandTable } from '../../../shared/commands/ports.ts';

/** The Commands table in memory, with its records in view. */
export function inMemoryCommandTable(): CommandTable & { readonly steps: Map<string, CommandStep> } {
  const steps = new Map<string, CommandStep>();
  return {
    steps,
    update: async (commandId, change) => {
      const next = change(steps.get(commandId));
      if (next !== undefined) steps.set(commandId, next);
      return steps.get(commandId);
    },
  };
}
