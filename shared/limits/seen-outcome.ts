import type { EpochMs } from '../time/times.ts';
import type { LimitChange } from './model.ts';
import type { PermitOutcome } from './ports.ts';

/** Whether the outcome of a request shows that the marketplace does not work: no answer, a 5xx, or a complaint about the rate. */
export function isFailure({ status, code = '', elsewhere = false }: PermitOutcome): boolean {
  if (elsewhere) return false;
  return status === undefined || status >= 500 || status === 429 || code.startsWith('SYS_');
}

/**
 * What the outcome of a request adds to an item of the limit. It is a part of the write that gives the permit back.
 *
 * @param failingSince epoch ms: of the item as it was read last.
 * @param now epoch ms.
 */
export function seenOutcome(
  outcome: PermitOutcome,
  failingSince: EpochMs | undefined,
  now: EpochMs,
): Pick<LimitChange, 'set' | 'add'> {
  if (!isFailure(outcome))
    return { add: { succeeded: 1 }, set: { succeededAt: now, failingSince: undefined } };
  const { status, code } = outcome;
  const failure = { at: now, ...(status !== undefined && { status }), ...(code !== undefined && { code }) };
  return { add: { failed: 1 }, set: { failure, failingSince: failingSince ?? now } };
}
