import * as z from 'zod';

/** The sign before decimals, and the one between thousands. */
export const notationSchema = z
  .strictObject({
    decimal: z.enum(['.', ',']),
    /** Default: the other one of dot and comma. */
    thousands: z.enum(['.', ',', "'", 'space']).optional(),
  })
  .refine(({ decimal, thousands }) => decimal !== thousands, 'decimal and thousands must differ');
/** How a file writes numbers, where the file, its store or a person says so. */
export type Notation = z.infer<typeof notationSchema>;
