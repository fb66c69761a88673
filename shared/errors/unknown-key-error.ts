import * as z from 'zod';
import { cutOff } from '../collections/cut-off.ts';

/** Most unknown names that are quoted, and most characters of each. */
const MOST_QUOTED = 10;
const MAX_QUOTED = 40;

/** Error map of zod for input of partners and operators: the error of an unknown property names all allowed ones. */
export const unknownKeyError: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return undefined;
  const quoted = issue.keys.slice(0, MOST_QUOTED).map((key) => JSON.stringify(cutOff(key, MAX_QUOTED)));
  const unknown =
    issue.keys.length > MOST_QUOTED ? [...quoted, `${issue.keys.length - MOST_QUOTED} more`] : quoted;
  const known = Object.keys(issue.inst.shape);
  return `unknown ${unknown.join(', ')}; allowed: ${known.length === 0 ? 'none' : known.join(', ')}`;
};
