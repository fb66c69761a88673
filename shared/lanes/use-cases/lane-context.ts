import type { Store } from '../../stores/model.ts';
import type { LaneSettings, PushLanePorts } from './lane-ports.ts';

/** What one holder of a lane works with. */
export interface LaneContext {
  readonly ports: PushLanePorts;
  readonly settings: LaneSettings;
  readonly store: Store;
  readonly leaseId: string;
  readonly signal: AbortSignal;
}

/** The lane was taken over: whatever this invocation still wanted to send is now the new holder's. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * Makes sure that the lane is ours until `until` (epoch ms).
 *
 * @throws LeaseLostError when it is not ours any more
 */
export async function holdLane({ ports, store, leaseId }: LaneContext, until: number): Promise<void> {
  const isExtended = await ports.lanes.extend(store.storeClientId, leaseId, until);
  // A sender that was held up here for the lease's whole length may have another holder beside it already.
  if (isExtended && ports.clock.now() < until) return;
  throw new LeaseLostError(`the lane of ${store.storeClientId} has another holder`);
}
