import { z } from 'zod';
import { isObject } from '../../collections/is-object.ts';
import { parseJson } from '../../collections/parse-json.ts';

/** Beside `detail`, where no partner can put anything: an event on the bus has its content in `detail`. */
const rowsLeftSchema = z.looseObject({ rowsLeft: z.array(z.int().nonnegative()).min(1) });

/**
 * The message of a command of which only some rows are left, by their position in `items`: the others have ended, and
 * were told of.
 */
export function withRowsLeft(body: string, rowsLeft: readonly number[]): string {
  const json = parseJson(body);
  return isObject(json) ? JSON.stringify({ ...json, rowsLeft }) : body;
}

/** The rows that are left of a message's command; `undefined` where it is whole. */
export function rowsLeftIn(body: string): ReadonlySet<number> | undefined {
  const { success, data } = rowsLeftSchema.safeParse(parseJson(body));
  return success ? new Set(data.rowsLeft) : undefined;
}
