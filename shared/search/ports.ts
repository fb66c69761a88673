import type { BatchTable } from '../batches/ports.ts';
import type { ChangeEventTable } from '../changes/change-events.ts';
import type { ImportTable } from '../imports/ports.ts';
import type { ListingTable } from '../listings/ports.ts';
import type { OrderTable } from '../orders/ports.ts';
import type { RejectionTable } from '../rejections/model.ts';
import type { RequestTable } from '../requests/ports.ts';
import type { StoreTable } from '../stores/ports.ts';
import type { Clock } from '../time/clock.ts';
import type { QueueCounts } from '../trace/not-found.ts';

export interface SearchPorts {
  readonly stores: Pick<StoreTable, 'list'>;
  readonly listings: Pick<ListingTable, 'getMany' | 'named' | 'ofProduct'>;
  readonly orders: Pick<OrderTable, 'get'>;
  readonly requests: Pick<RequestTable, 'get' | 'getPlans' | 'getWaits' | 'aliasOf'>;
  readonly batches: Pick<BatchTable, 'get' | 'linkedTo' | 'list'>;
  readonly rejections: Pick<RejectionTable, 'listOf' | 'listOfStores'>;
  readonly changeEvents: Pick<ChangeEventTable, 'get'>;
  readonly imports: Pick<ImportTable, 'get' | 'listNamed'>;
  readonly deadLetters: QueueCounts;
  readonly clock: Pick<Clock, 'now'>;
}
