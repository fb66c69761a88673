import { z } from 'zod';

/** Query parameters of every list: entries per page, and where the page before ended. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(1000).default(50),
  cursor: z.string().min(1).optional(),
};
