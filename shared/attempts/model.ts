import { z } from 'zod';

/** One row of a bulk request as it was sent; what a later answer, summary or read-back is matched to. */
export const attemptRowSchema = z.object({
  rowIndex: z.number().int().nonnegative(),
  sku: z.string().optional(),
  id: z.string().optional(),
  externalId: z.string().optional(),
  orderId: z.string().optional(),
  invoiceNumber: z.string().optional(),
});

/** One signed bulk request, recorded before it leaves. */
export const attemptSchema = z.object({
  attemptId: z.string().min(1),
  storeClientId: z.string(),
  /** What it asks for: the kind of the batch that its answer begins, or of the order call. */
  kind: z.string(),
  /** Epoch ms of the signature. */
  signedAt: z.number().int(),
  /** `withdrawn`: it was signed, and never left. */
  state: z.enum(['sent', 'answered', 'refused', 'unknown', 'withdrawn']),
  batchId: z.string().optional(),
  commandId: z.string().optional(),
  rows: z.array(attemptRowSchema),
  /** What is known of its outcome, in the form of its kind; kept before anything follows from it. */
  result: z.record(z.string(), z.unknown()).optional(),
});

export type Attempt = z.infer<typeof attemptSchema>;
export type AttemptOutcome = Exclude<Attempt['state'], 'sent'>;
