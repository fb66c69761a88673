/** A broken rule of the specification. */
export interface Violation {
  reason: string;
  /** Message by field. */
  validationErrors: Record<string, string>;
}

export function violation(reason: string, field: string, message: string): Violation {
  return { reason, validationErrors: { [field]: message } };
}
