import * as z from 'zod';

/** Most characters of an unknown name that are quoted. */
const MAX_QUOTED = 40;

/** Error map of zod for input of partners and operators: the error of an unknown property names all allowed ones. */
export const unknownKeyError: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return undefined;
  const unknown = issue.keys.map((key) => JSON.stringify(key.slice(0, MAX_QUOTED)));
  const known = Object.keys(issue.inst.shape);
  return `unknown ${unknown.join(', ')}; allowed: ${known.length === 0 ? 'none' : known.join(', ')}`;
};
