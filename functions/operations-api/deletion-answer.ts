import * as z from 'zod';
import { deletionEnds } from '../../shared/products/deletion-requests.ts';
import type { EndedCommand } from '../../shared/requests/model.ts';
import { requestFailure } from './errors.ts';

const UNKNOWN = { code: 'UNKNOWN', message: 'unknown', details: undefined };

/** Fields of the marketplace's envelope besides its data. */
const wordsSchema = z.object({ message: z.string().optional(), requestId: z.string().optional() });

/** Answer to deletions (§4.10): the marketplace's envelope, with the outcome of each ID. */
export const deletionAnswerSchema = z.object({
  success: z.literal(true),
  ...wordsSchema.shape,
  data: z.object({
    summary: z.object({ total: z.int(), succeeded: z.int(), failed: z.int(), unknown: z.int().optional() }),
    successItems: z.array(z.object({ id: z.string(), externalId: z.string().optional() })),
    errors: z.array(
      z.object({
        rowIndex: z.int(),
        id: z.string(),
        code: z.string(),
        message: z.string().optional(),
        details: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  }),
});

/** @throws HttpError if no ID was accepted because every request was refused, or the command was discarded */
export function deletionAnswer(
  commandId: string,
  { requests, fault }: EndedCommand,
): z.infer<typeof deletionAnswerSchema> {
  if (fault !== undefined) throw requestFailure(fault);
  const rows = requests.flatMap((record) =>
    deletionEnds(record).flatMap((end, position) => {
      const { command = 0, index: rowIndex = 0, id = '' } = record.rows[position] ?? {};
      return record.commands[command]?.commandId === commandId ? [{ ...end, rowIndex, id }] : [];
    }),
  );
  const succeeded = rows.filter(({ state }) => state === 'accepted');
  const failed = requests.find((record) => record.fault !== undefined);
  if (failed?.fault && succeeded.length === 0 && requests.every(({ state }) => state !== 'answered'))
    throw requestFailure(failed.fault, failed.state === 'refused' ? 'refused' : 'unknown');
  const others = rows.filter(({ state }) => state !== 'accepted');
  const unknown = others.filter(({ state }) => state === 'unknown').length;
  const counts = { total: rows.length, succeeded: succeeded.length, failed: others.length - unknown };
  return {
    success: true,
    ...wordsSchema.safeParse(requests.find(({ state }) => state === 'answered')?.answer).data,
    data: {
      summary: { ...counts, ...(unknown > 0 && { unknown }) },
      successItems: succeeded.map(({ id, externalId }) => ({ id, externalId })),
      errors: others
        .toSorted((a, b) => a.rowIndex - b.rowIndex)
        .map(({ rowIndex, id, fault: { code, message, details } = UNKNOWN }) => ({
          ...{ rowIndex, id, code, message },
          details: details && { ...details },
        })),
    },
  };
}
