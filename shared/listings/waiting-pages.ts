import { z } from 'zod';
import type { PageRequest } from '../collections/page-request.ts';

/**
 * Targets of one store whose listings wait at one priority since about the same time. What waits is found by pages: one
 * item for many listings. A page only says where to look. A listing is in the page that its own `page` names; a page that
 * no listing names any more has no effect.
 */
export const waitingPageSchema = z.object({
  storeClientId: z.string().min(1),
  /** Sorts the pages of a store: `{priority}#{epoch ms, 15 digits}#{id}`. None of its listings may be sent earlier. */
  page: z.string().min(1),
  targets: z.array(z.string()).min(1),
  /** Epoch ms since when the first of its listings waited when the page was put. */
  since: z.number().int(),
  /** Epoch ms. */
  putAt: z.number().int(),
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
  /** The pages of all stores, those of one store together; strongly consistent. */
  list(request?: PageRequest): Promise<{ pages: WaitingPage[]; cursor?: string }>;
}
