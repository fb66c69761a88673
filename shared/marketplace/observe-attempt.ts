import { MarketplaceError } from './errors.ts';
import type { Attempt, AttemptEnd, MarketplaceClientOptions } from './options.ts';

/** An attempt that its observer knows of. One of both is to be called. */
export interface ObservedAttempt {
  answered(answer: unknown, status: number | undefined): void;
  failed(failure: unknown, status: number | undefined): void;
}

/** Tells the client's observer that an attempt is sent. */
export function observeAttempt(
  { observer, clock }: Pick<MarketplaceClientOptions, 'observer' | 'clock'>,
  { method, path, attempt: number }: Attempt,
): ObservedAttempt {
  const sentAt = clock.now();
  const attempt = { method, path, attempt: number };
  const end = (facts: Omit<AttemptEnd, 'durationMs'>) =>
    observer?.onEnded(attempt, { ...facts, durationMs: clock.now() - sentAt });
  observer?.onSent(attempt);
  return {
    answered: (answer, status) => end({ outcome: 'accepted', status, ...trackingIdsOf(answer) }),
    failed: (failure, status) =>
      end(
        failure instanceof MarketplaceError
          ? { outcome: failure.outcome, status, code: failure.code, requestId: failure.requestId }
          : { outcome: 'unknown', status },
      ),
  };
}

function trackingIdsOf(answer: unknown): Pick<AttemptEnd, 'requestId' | 'batchId'> {
  const { requestId, batchId } = { ...(answer as { requestId?: unknown; batchId?: unknown } | null) };
  return { requestId: textOf(requestId), batchId: textOf(batchId) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
