import type { EpochMs } from '../time/times.ts';
import type { Limit } from './model.ts';

/** The right to send one request now. A permit that is not given back expires. */
export interface Permit {
  /** Gives the permit back with the request's outcome. After some outcomes other requests must wait. Called once. */
  release(outcome: PermitOutcome): Promise<void>;
}

export interface PermitOutcome {
  /** The store that the request was for. Default: none. */
  readonly storeClientId?: string | undefined;
  readonly status?: number;
  readonly code?: string;
  /** The marketplace's `Retry-After`. */
  readonly retryAfterMs?: number;
  /** The request carried no credentials, so its success does not show that they are valid. */
  readonly unsigned?: boolean;
  /** A system behind one operation failed, such as a carrier for labels. This says nothing about the marketplace. */
  readonly elsewhere?: boolean;
  /** Nothing was sent, so the permit is free again. */
  readonly unused?: boolean;
}

/** A reserved time. The caller that reserved it gives it back. */
export interface Place {
  /** When the request is signed and sent. */
  readonly at: EpochMs;
  /**
   * Waits for the place's time and takes a permit, right before the request is signed and sent. `undefined` when the place is
   * lost: all requests pause, or too many are in flight.
   */
  begin(signal?: AbortSignal): Promise<Permit | undefined>;
  /** Gives back a place whose request will not be sent. Has no effect once the place's permit was asked for. */
  giveBack(): Promise<void>;
}

/** No place is free soon enough. `retryAt`: when a place may be free. */
export interface NoPlace {
  readonly reason: 'busy' | 'stopped' | 'restored';
  readonly retryAt: EpochMs;
}

export interface PlaceRequest {
  /** Latest time of the place. */
  readonly until: EpochMs;
  /** The caller begins to prepare its request this long before the place's time. Default: when it takes its permit. */
  readonly preparationMs?: number;
  /** Whether the request only reads. Default: false. */
  readonly isRead?: boolean;
  /**
   * Whether a stop of the lanes applies to the caller. After the stop's `retryAt`, the first such request tries the credentials.
   * Default: false.
   */
  readonly heedsStop?: boolean;
}

/** The rate limiter, which all callers of the marketplace share. */
export interface Permits {
  /** Reserves the next free place, without waiting for its time. */
  reserve(request: PlaceRequest): Promise<Place | NoPlace>;
}

/** A condition of a change. */
export type LimitCondition =
  | readonly [
      field: 'nextSlotAt' | 'pausedUntil' | 'slowedAt' | 'stop.since' | 'stop.retryAt',
      comparison: '<' | '<=' | '=' | '>=',
      value: number,
    ]
  | readonly [field: 'permits', comparison: 'fewer than', value: number]
  | readonly [field: 'stop', comparison: 'absent'];

/** A change of the item. Only its conditions depend on the item. */
export interface LimitChange {
  /** All conditions must hold. Default: none. */
  readonly where?: readonly LimitCondition[];
  /** `undefined` removes the field. */
  readonly set?: { readonly [Field in keyof Omit<Limit, 'limitId' | 'permits'>]?: Limit[Field] | undefined };
  readonly add?: Partial<Record<'nextSlotAt' | 'succeeded' | 'failed', number>>;
  /** Times at which permits expire, by their IDs. `undefined` removes a permit, if it is there. */
  readonly permits?: Readonly<Record<string, number | undefined>>;
}

/** The Limits table. */
export interface LimitTable {
  /** Strongly consistent. */
  get(limitId: string): Promise<Limit | undefined>;
  /** Creates the item if it is missing. */
  create(limit: Limit): Promise<void>;
  /** Makes a change by one conditional write. Returns the changed item; `undefined` if a condition does not hold. */
  change(limitId: string, change: LimitChange): Promise<Limit | undefined>;
}
