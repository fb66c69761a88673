import * as z from 'zod';
import { definedOf } from '../../shared/collections/defined-of.ts';
import { deletionEnd } from '../../shared/products/deletion-requests.ts';
import type { EndedCommand } from '../../shared/requests/model.ts';
import { requestFailure } from './errors.ts';

/** Answer to deletions (§4.10): the marketplace's envelope, with the outcome of each ID. */
export const deletionAnswerSchema = z.object({
  success: z.literal(true),
  message: z.string().optional(),
  requestId: z.string().optional(),
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

/** @throws HttpError if every request was refused as a whole, or the command was discarded */
export function deletionAnswer(commandId: string, end: EndedCommand): z.infer<typeof deletionAnswerSchema> {
  const { requests, fault } = end;
  if (fault !== undefined) throw requestFailure(fault);
  const ends = requests.map((record) => deletionEnd(record, commandId));
  const rows = ends.flatMap((one) => one.rows).toSorted((a, b) => a.index - b.index);
  const succeeded = rows.filter(({ state }) => state === 'accepted');
  const failed = requests.find((record) => record.fault !== undefined);
  if (
    failed?.fault !== undefined &&
    succeeded.length === 0 &&
    requests.every(({ state }) => state !== 'answered')
  )
    throw requestFailure(failed.fault, failed.state === 'refused' ? 'refused' : 'unknown');
  const others = rows.filter(({ state }) => state !== 'accepted');
  const unknown = rows.filter(({ state }) => state === 'unknown').length;
  const summary = {
    total: rows.length,
    succeeded: succeeded.length,
    failed: others.length - unknown,
    ...(unknown > 0 && { unknown }),
  };
  return {
    success: true,
    ...definedOf({ message: ends[0]?.message, requestId: ends[0]?.requestId }),
    data: {
      summary,
      successItems: succeeded.map(({ id, externalId }) => ({ id, ...definedOf({ externalId }) })),
      errors: others.map(({ index, id, code = 'UNKNOWN', message, details }) => ({
        rowIndex: index,
        id,
        code,
        ...definedOf({ message, details: details && { ...details } }),
      })),
    },
  };
}
