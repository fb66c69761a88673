import type { FileEvent } from '../../../../shared/imports/ports.ts';

/** A `catalog.sync.requested` with rows of a file. */
export interface SentSync {
  readonly storeClientId: string;
  readonly commandId: string;
  /** Epoch ms. */
  readonly time: number;
  readonly products: readonly unknown[];
}

/** The events of a catalog file as commands. */
export function syncsOf(events: readonly FileEvent[]): SentSync[] {
  return events.flatMap(({ detailType, time, detail }) =>
    detailType === 'catalog.sync.requested'
      ? {
          time,
          storeClientId: detail.storeClientId,
          commandId: detail.commandId ?? '',
          products: detail.products,
        }
      : [],
  );
}
