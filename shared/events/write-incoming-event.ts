import { type IncomingDetailType, type IncomingEvent, incomingDetailSchemas } from './incoming.ts';

/**
 * The JSON of an event in that we send ourselves, as a partner would send it (design §6.1) and `parseIncomingEvent`
 * reads it.
 *
 * @throws {ZodError} for a detail that breaks its schema: the queue would hand us what we reject.
 */
export function writeIncomingEvent<T extends IncomingDetailType>({
  id,
  time,
  detailType,
  detail,
}: IncomingEvent<T>): string {
  return JSON.stringify({
    id,
    time: new Date(time).toISOString(),
    'detail-type': detailType,
    detail: incomingDetailSchemas[detailType].parse(detail),
  });
}
