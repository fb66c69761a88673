import type * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.ts';

/** The cursor of a position in a list. */
export function writeCursor(position: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * The position of a cursor.
 *
 * @throws ConnectorError `CURSOR_INVALID` when the position does not match `schema`
 */
export function readCursor<Position>(cursor: string, schema: z.ZodType<Position>): Position {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new ConnectorError('cursor: must be the cursor of an earlier page', {
      code: 'CURSOR_INVALID',
      cause,
    });
  }
}
