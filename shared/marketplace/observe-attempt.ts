import { MarketplaceError } from './errors.ts';
import type { Attempt, AttemptEnd, MarketplaceClientOptions } from './options.ts';

/** Reports an attempt to the client's observer once it is sent. @returns two functions, one for each way in which it may end. */
export function observeAttempt(
  { observer, clock }: Pick<MarketplaceClientOptions, 'observer' | 'clock'>,
  { method, path, attempt: number }: Attempt,
) {
  const sentAt = clock.now();
  const attempt = { method, path, attempt: number };
  const end = (facts: Omit<AttemptEnd, 'durationMs'>) =>
    observer?.onEnded(attempt, { ...facts, durationMs: clock.now() - sentAt });
  observer?.onSent(attempt);
  return {
    answered: (answer: unknown, status: number | undefined) =>
      end({ outcome: 'accepted', status, ...trackingIdsOf(answer) }),
    failed: (failure: unknown, status: number | undefined) =>
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
