import type { LaneRequest } from './pick-request.ts';

/** One bulk request with the time of its last signature, epoch ms. */
export interface SignedRequest {
  readonly request: LaneRequest;
  readonly attemptId: string;
  signedAt: number;
}
