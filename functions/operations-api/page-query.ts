import { z } from 'zod';

/** Query parameters of every list: entries per page, and where the page before ended. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(1000).default(50),
  cursor: z.string().min(1).optional(),
};

/** Answer of every list: a page of entries, and the `cursor` of the next one where there is one. */
export function pageOf<Shape extends z.ZodRawShape>(entries: Shape) {
  return z.object({ ...entries, cursor: z.string().optional() });
}
