import type { PageRequest } from '../collections/page-request.ts';
import type { Rejection } from './model.ts';

/** The Rejections table. */
export interface RejectionTable {
  /** Idempotent by `storeClientId` and `rejectionId`. */
  putAll(rejections: readonly Rejection[]): Promise<void>;
  list(storeClientId: string, options?: PageRequest): Promise<{ rejections: Rejection[]; cursor?: string }>;
}
