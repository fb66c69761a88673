import { z } from 'zod';
import type { PageRequest } from '../collections/page-request.ts';
import { ConnectorError } from '../errors/connector-error.ts';

const cursorSchema = z.record(z.string(), z.union([z.string(), z.number()]));

/**
 * The part of a query or scan that asks for one page. A cursor is the JSON of the key that DynamoDB goes on from.
 *
 * @throws ConnectorError `CURSOR_INVALID` when the cursor is none that a page of ours came with
 */
export function pageOptions(options: PageRequest = {}) {
  return {
    ...(options.limit === undefined ? {} : { Limit: options.limit }),
    ...(options.cursor === undefined ? {} : { ExclusiveStartKey: readCursor(options.cursor) }),
  };
}

/** `{cursor}` where there is a further page, else nothing. */
export function cursorOf(lastEvaluatedKey: Record<string, unknown> | undefined): { cursor?: string } {
  return lastEvaluatedKey === undefined
    ? {}
    : { cursor: Buffer.from(JSON.stringify(lastEvaluatedKey)).toString('base64url') };
}

function readCursor(cursor: string): Record<string, string | number> {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new ConnectorError('cursor: not one that a list of ours came with', {
      code: 'CURSOR_INVALID',
      cause,
    });
  }
}
