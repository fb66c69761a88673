import type { z } from 'zod';
import type { RegisterName } from '../model.ts';
import { targetFault } from './room.ts';
import { type TargetNames, targetOf } from './target.ts';

/** One item of an event as register values of a target, or why it is none. */
export type ItemReading =
  | {
      readonly ok: true;
      readonly target: string;
      readonly values: Partial<Record<RegisterName, number | null>>;
      /** See `ListingChange`. */
      readonly base?: Partial<Record<RegisterName, number>>;
    }
  | { readonly ok: false; readonly message: string; readonly field: string };

/** Reads an item by the schema of the row that it becomes; a refusal names the field and the rule. */
export function readItem<Item extends TargetNames>(
  schema: z.ZodType<Item>,
  item: unknown,
  registersOf: (item: Item) => Partial<Record<RegisterName, number | null>>,
): ItemReading {
  const parsed = schema.safeParse(item);
  if (parsed.success) return readTarget(targetOf(parsed.data), registersOf(parsed.data));
  const issue = parsed.error.issues[0];
  const field = (issue?.path ?? []).map(String).join('.');
  const text = issue?.message ?? 'not valid';
  return { ok: false, field, message: field === '' ? text : `${field}: ${text}` };
}

function readTarget(target: string, values: Partial<Record<RegisterName, number | null>>): ItemReading {
  const fault = targetFault(target);
  if (fault === undefined) return { ok: true, target, values };
  const field = target.slice(0, target.indexOf(':'));
  return { ok: false, field, message: `${field}: ${fault}` };
}
