import { type OnFailure, setApart } from '../../errors/set-apart.ts';
import { type RearmCreatedPorts, rearmCreatedByBatch } from '../../products/use-cases/rearm-created.ts';
import type { BatchTable } from '../ports.ts';
import { type AnnounceBatchPorts, announceBatch } from './announce-batch.ts';

export interface AnnounceLeftOverPorts extends AnnounceBatchPorts, RearmCreatedPorts {
  readonly batches: Pick<BatchTable, 'get' | 'update' | 'listUnannounced'>;
  readonly clock: { now(): number };
}

/** Whoever ended a batch announces it at once: longer than this and he died over it. Milliseconds. */
const LEFT_AFTER_MS = 5 * 60_000;
const BATCHES_PER_PAGE = 25;

/**
 * Announces the batches whose state was recorded by somebody who died before he could tell of it; see `announceBatch`.
 *
 * @param signal ends the work; what is left is left to the next sweep.
 * @param onFailure is told of each batch that could not be announced; the others are all the same.
 * @returns how many batches were announced.
 */
export async function announceLeftOver(
  ports: AnnounceLeftOverPorts,
  { signal, onFailure }: { readonly signal: AbortSignal; readonly onFailure: OnFailure },
): Promise<number> {
  const dueBefore = new Date(ports.clock.now() - LEFT_AFTER_MS).toISOString();
  let announced = 0;
  let cursor: string | undefined;
  do {
    const page = await ports.batches.listUnannounced({ dueBefore, limit: BATCHES_PER_PAGE, cursor });
    for (const batchId of page.batchIds) {
      if (signal.aborted) return announced;
      if (await setApart(onFailure, () => announceLeft(ports, batchId))) announced += 1;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return announced;
}

async function announceLeft(ports: AnnounceLeftOverPorts, batchId: string): Promise<boolean> {
  const batch = await ports.batches.get(batchId);
  if (batch === undefined) return false;
  await rearmCreatedByBatch(ports, batch);
  await announceBatch(ports, batch);
  return true;
}
