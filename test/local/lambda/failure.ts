import type { InvocationResult } from '../model.ts';

export type Failure = Extract<InvocationResult, { ok: false }>;

/** A failed invocation, under the name that Lambda has for it. */
export function failure(errorType: string, errorMessage: string): Failure {
  return { ok: false, errorType, errorMessage };
}
