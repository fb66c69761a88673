import type { z } from 'zod';

/** A rule of the spec that a request breaks. */
export interface Problem {
  /** Where: property names and array positions from the value that the rule was asked about. */
  readonly path: readonly (string | number)[];
  /** Which rule, by a stable name. */
  readonly rule: string;
  readonly message: string;
}

/** A rule as a pure function: every way in which the value breaks it. */
export type Rule<Value> = (value: Value) => Problem[];

/** Lets a zod schema hold a rule: `schema.superRefine(obeys(rule))`. The rule's name is in `params.rule`. */
export function obeys<Value>(rule: Rule<Value>): (value: Value, context: z.RefinementCtx) => void {
  return (value, context) => {
    for (const { path, rule: name, message } of rule(value)) {
      context.addIssue({ code: 'custom', path: [...path], message, params: { rule: name } });
    }
  };
}
