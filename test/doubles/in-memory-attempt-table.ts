import type { Attempt } from '../../shared/attempts/model.ts';
import type { AttemptTable } from '../../shared/attempts/ports.ts';
import { ConnectorError } from '../../shared/errors/connector-error.ts';
import { directly, type Step } from './step.ts';

/** The Attempts table in memory; tables over the same `attempts` are one table. */
export function inMemoryAttemptTable(
  step: Step = directly,
  attempts: Map<string, Attempt> = new Map(),
): AttemptTable {
  return {
    put: (attempt) =>
      step(`attempts.put ${attempt.attemptId}`, () => {
        attempts.set(attempt.attemptId, { ...attempt });
      }),

    note: (attemptId, result) =>
      step(`attempts.note ${attemptId}`, () => {
        const attempt = attempts.get(attemptId);
        if (attempt === undefined) {
          throw new ConnectorError(`there is no attempt ${attemptId}`, { code: 'ATTEMPT_UNKNOWN' });
        }
        attempts.set(attemptId, { ...attempt, result });
      }),

    close: (attemptId, outcome, batchId) =>
      step(`attempts.close ${attemptId} ${outcome}`, () => {
        const attempt = attempts.get(attemptId);
        if (attempt === undefined) return;
        attempts.set(attemptId, {
          ...attempt,
          state: outcome,
          ...(batchId === undefined ? {} : { batchId }),
        });
      }),

    get: (attemptId) =>
      step(`attempts.read ${attemptId}`, () => {
        const attempt = attempts.get(attemptId);
        return attempt === undefined ? undefined : { ...attempt };
      }),
  };
}
