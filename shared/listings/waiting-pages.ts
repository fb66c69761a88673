import * as z from 'zod';
import type { PageRequest } from '../collections/page-request.ts';
import { epochMsSchema } from '../time/times.ts';

/**
 * Targets of one store whose listings wait at the same priority and may be sent at about the same time. Waiting listings are
 * found by their pages: one item for many listings. A page is a hint: a listing is in it only if the listing's `page` names
 * it. A page that no listing names has no effect.
 */
export const waitingPageSchema = z.object({
  storeClientId: z.string().min(1),
  /** Sort key: `{priority}#{epoch ms, 15 digits}#{id}`. The time is the earliest at which one of its listings may be sent. */
  page: z.string().min(1),
  targets: z.array(z.string()).min(1),
  /** `waitingSince` of the page's oldest listing when the page was put. */
  since: epochMsSchema,
  putAt: epochMsSchema,
  /** Whether the writer of the page has written all of its listings. After that, no further listing comes into the page. */
  isWritten: z.boolean().optional(),
});
export type WaitingPage = Readonly<z.infer<typeof waitingPageSchema>>;

/** The Waiting table. */
export interface WaitingPageTable {
  /** Durable when it resolves. */
  putAll(pages: readonly WaitingPage[]): Promise<void>;
  /** The first pages of a store from `from` to `to`, in order; strongly consistent. */
  query(
    storeClientId: string,
    range: { readonly from: string; readonly to: string; readonly limit: number },
  ): Promise<{ pages: WaitingPage[]; isMore: boolean }>;
  delete(storeClientId: string, page: string): Promise<void>;
  /** The pages of all stores, grouped by store. Strongly consistent. */
  list(request?: PageRequest): Promise<{ pages: WaitingPage[]; cursor?: string }>;
}
