import { z } from 'zod';
import type { PageRequest } from '../collections/page-request.ts';
import { ConnectorError } from '../errors/connector-error.ts';

const keySchema = z.record(z.string(), z.union([z.string(), z.number()]));

/**
 * The part of a query or scan that asks for one page. A cursor is the JSON of the key that DynamoDB goes on from.
 *
 * @throws ConnectorError `CURSOR_INVALID` when the cursor is none that a page of ours came with
 */
export function pageOptions(options: PageRequest = {}) {
  return {
    ...(options.limit === undefined ? {} : { Limit: options.limit }),
    ...(options.cursor === undefined ? {} : { ExclusiveStartKey: readCursor(options.cursor, keySchema) }),
  };
}

/** `{cursor}` where there is a further page, else nothing. */
export function cursorOf(lastEvaluatedKey: Record<string, unknown> | undefined): { cursor?: string } {
  return lastEvaluatedKey === undefined ? {} : { cursor: writeCursor(lastEvaluatedKey) };
}

/** A position of a list as its cursor. */
export function writeCursor(position: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * The position that a cursor was written of.
 *
 * @throws ConnectorError `CURSOR_INVALID` when it is of another form than `schema`
 */
export function readCursor<Position>(cursor: string, schema: z.ZodType<Position>): Position {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new ConnectorError('cursor: not one that a list of ours came with', {
      code: 'CURSOR_INVALID',
      cause,
    });
  }
}
