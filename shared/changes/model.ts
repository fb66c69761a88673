import type { IncomingDetailType } from '../events/incoming.ts';
import type { MessageFacts } from '../events/parse-incoming-event.ts';
import type { ListingChange } from '../listings/model.ts';

export type ChangeDetailType = Extract<IncomingDetailType, 'stock.changed' | 'price.changed'>;

/** A message of the changes queue. */
export interface ChangeMessage extends MessageFacts {
  readonly body: string;
}

/** The event that rows came in. */
export interface ChangeEvent {
  readonly message: ChangeMessage;
  readonly eventId: string;
  readonly detailType: ChangeDetailType;
  readonly storeClientId: string;
  /** How many rows it has, bad ones included. */
  readonly size: number;
}

/** One valid row of an event. */
export interface ChangeRow {
  readonly event: ChangeEvent;
  readonly rowIndex: number;
  readonly change: ListingChange;
}

/** Why a row of an event is refused. */
export interface RowRefusal {
  readonly rowIndex: number;
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly target?: string;
}
