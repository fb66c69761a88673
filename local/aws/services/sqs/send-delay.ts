import * as z from 'zod';
import { AwsError } from '../../gateway/messages.ts';

const code = 'InvalidParameterValue';
const delayed = z.object({ DelaySeconds: z.int().min(0).max(900).optional() });
const batch = z.object({ Entries: z.array(z.record(z.string(), z.unknown())) });

type Entry = Record<string, unknown>;

/**
 * Refuses a delay that SQS refuses; fauxqs accepts any.
 *
 * @throws AwsError InvalidParameterValue
 */
export function requireDelay(message: Entry): void {
  if (!isDelayTaken(message)) throw new AwsError(code, reason(message));
}

/** The entries of a batch with an allowed delay, and the answer to the others; undefined when all are allowed. */
export function partByDelay(input: unknown): { taken: Entry[]; failed: object[] } | undefined {
  const entries = batch.safeParse(input).data?.Entries ?? [];
  const taken = entries.filter(isDelayTaken);
  if (taken.length === entries.length) return undefined;
  const failed = entries
    .filter((entry) => !isDelayTaken(entry))
    .map((entry) => ({ Id: entry.Id, Code: code, Message: reason(entry), SenderFault: true }));
  return { taken, failed };
}

function isDelayTaken(message: Entry): boolean {
  return delayed.safeParse(message).success;
}

function reason({ DelaySeconds }: Entry): string {
  return `Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.`;
}
