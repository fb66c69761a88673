import type { EventRefusal } from '../../events/parse-incoming-event.ts';
import { type Rejection, UNKNOWN_STORE } from '../model.ts';
import { boundedRejection } from './bounded.ts';

/** An event that was not understood, as rejected. `at` is epoch ms: when its message was sent. */
export function rejectionOfEvent(refusal: EventRefusal, at: number): Rejection {
  const { storeClientId = UNKNOWN_STORE, eventId, ...facts } = refusal;
  const rejectedAt = new Date(at).toISOString();
  const rejectionId = `${rejectedAt}#${eventId}`;
  return boundedRejection({ storeClientId, rejectionId, rejectedAt, eventId, ...facts });
}
