import type { InvocationResult } from '../model.ts';

export type Failure = Extract<InvocationResult, { ok: false }>;

/** A failed invocation with Lambda's error name. */
export function failure(errorType: string, errorMessage: string): Failure {
  return { ok: false, errorType, errorMessage };
}
