import { z } from 'zod';

/** Longest part of an unknown name that is quoted, in characters. */
const MAX_QUOTED = 40;

/** Error map of zod for what partners and operators write: where a property is unknown, it names all that there are. */
export const unknownKeyError: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return undefined;
  const unknown = issue.keys.map((key) => JSON.stringify(key.slice(0, MAX_QUOTED)));
  const known = Object.keys(issue.inst.shape);
  return `unknown ${unknown.join(', ')}; allowed: ${known.length === 0 ? 'none' : known.join(', ')}`;
};
