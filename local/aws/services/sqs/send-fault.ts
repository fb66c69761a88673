import * as z from 'zod';
import { AwsError } from '../../gateway/messages.ts';

const code = 'InvalidParameterValue';
const delayed = z.object({ DelaySeconds: z.int().min(0).max(900).optional() });
const grouped = z.object({
  MessageGroupId: z
    .string()
    .regex(/^[!-~]{1,128}$/)
    .optional(),
});
const batch = z.object({ Entries: z.array(z.record(z.string(), z.unknown())) });

type Entry = Record<string, unknown>;

/**
 * Refuses a delay or a message group that SQS refuses; fauxqs accepts any.
 *
 * @throws AwsError InvalidParameterValue
 */
export function refuseFault(message: Entry): void {
  const fault = faultOf(message);
  if (fault !== undefined) throw new AwsError(code, fault);
}

/** The entries of a batch that SQS accepts, and the answer to the others. */
export function partByFault(input: unknown): { taken: Entry[]; failed: FailedEntry[] } {
  const entries = batch.safeParse(input).data?.Entries ?? [];
  return {
    taken: entries.filter((entry) => faultOf(entry) === undefined),
    failed: entries.flatMap((entry) => {
      const Message = faultOf(entry);
      return Message === undefined ? [] : [{ Id: String(entry.Id), Code: code, Message, SenderFault: true }];
    }),
  };
}

/** The answer to an entry that was refused. */
export interface FailedEntry {
  readonly Id: string;
  readonly Code: string;
  readonly Message: string;
}

function faultOf(message: Entry): string | undefined {
  if (!delayed.safeParse(message).success)
    return `Value ${message.DelaySeconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.`;
  if (!grouped.safeParse(message).success)
    return `Value ${message.MessageGroupId} for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
  return undefined;
}
