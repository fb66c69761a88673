import * as z from 'zod';

/** The decimal separator and the thousands separator. */
export const notationSchema = z
  .strictObject({
    decimal: z.enum(['.', ',']),
    /** Default: comma if `decimal` is a dot, otherwise a dot. */
    thousands: z.enum(['.', ',', "'", 'space']).optional(),
  })
  .refine(({ decimal, thousands }) => decimal !== thousands, 'decimal and thousands must differ');
/** How a file writes numbers, where the file, its store or a person says so. */
export type Notation = z.infer<typeof notationSchema>;
